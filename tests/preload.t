#!/usr/bin/python3
"""preload: Debian's numpy, unmodified, under LD_PRELOAD=libknap.so.

Every product is of small integers and compared with numpy's integer product, which no BLAS
computes, so each must be exact. With OpenBLAS and with BLIS as libblas.so.3: never and auto (no
GPU) must forward to that library, always must compute everything itself; the statistics say where
each call went.
KNAP_BUILD is the folder of libknap.so; SAN=1 says that it was built with sanitizers.
"""
import glob, json, os, subprocess, sys

# -- The program under test: prints a line per case, "case: True" ----------------------------------

PROGRAM = r'''
import os, threading
import numpy as np

rng = np.random.default_rng(1)

def integers(shape, dtype):
    x = rng.integers(-4, 5, shape)
    return (x + 1j * rng.integers(-4, 5, shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)

def exact(a, b):
    part = lambda x: (np.real(x).astype(np.int64), np.imag(x).astype(np.int64))
    (ar, ai), (br, bi) = part(a), part(b)
    return ar @ br - ai @ bi + 1j * (ar @ bi + ai @ br)

def same(a, b, out=None):
    return bool(np.array_equal(np.matmul(a, b, out=out), exact(a, b)))

def report(case, passed):
    print(f"{case}: {passed}", flush=True)

def in_threads(a, b):
    passed = []
    work = lambda: passed.append(all(same(a[:60 + i], b) for i in range(10)))
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    return passed == [True] * 4

def in_child(a, b):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if same(a, b) else 1)
    return os.waitpid(pid, 0)[1] == 0

for name in "float32", "float64", "complex64", "complex128":
    a, b = integers((150, 170), name), integers((170, 130), name)
    report(f"{name} a@b", same(a, b))
    report(f"{name} transposed", same(b.T, a.T) and same(a.T, integers((150, 40), name))
           and same(a, integers((90, 170), name).T))
    report(f"{name} Fortran order", same(np.asfortranarray(a), np.asfortranarray(b)))
    report(f"{name} blocks of larger arrays", same(a[3:77, 5:101], b[5:101, 8:99]))
    report(f"{name} every second row or column", same(a[::2], b) and same(a[:, ::2], b[::2]))
    block = np.full((160, 140), 9, name)
    report(f"{name} into a block", same(a, b, out=block[5:155, 4:134])
           and bool((block[155:] == 9).all() and (block[:, 134:] == 9).all()))
    report(f"{name} stacked, thin and empty",
           same(integers((5, 32, 40), name), integers((5, 40, 24), name))
           and same(a[:1], b) and same(a, b[:, :1]) and same(a[:, :0], b[:0]) and same(a[:0], b))
    report(f"{name} a@a.T", same(a, a.T))
    report(f"{name} in four threads", in_threads(a, b))
    report(f"{name} after fork", in_child(a, b))
    report(f"{name} after that in the parent", same(a, b))
big = integers((400, 400), "float32")
report("float32 400^3", same(big, big[::-1].copy()))
'''

# -- TAP -------------------------------------------------------------------------------------------

points = {"run": 0, "failed": 0}

def ok(passed, text, why=""):
    points["run"] += 1
    points["failed"] += not passed
    print(f"{'' if passed else 'not '}ok {points['run']} - {text}", flush=True)
    for line in "" if passed else why.splitlines()[-20:]:
        print("#", line)

def skip_all(why):
    print("1..0 # SKIP", why)
    sys.exit(0)

# -- Running it ------------------------------------------------------------------------------------

BUILD = os.environ.get("KNAP_BUILD", "build")
LIBRARY = os.path.abspath(os.path.join(BUILD, "libknap.so"))

def compilers_asan():
    cc = os.environ.get("CC") or "gcc"
    return subprocess.run([*cc.split(), "-print-file-name=libasan.so"], capture_output=True,
                          text=True).stdout.strip()

def environment(blas_folder, **knobs):
    """The environment without any knob, with libknap.so in front of the libblas.so.3 of a folder.
    BLIS gets one thread: where it had more, it hangs by itself in a child of fork()."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("KNAP_")}
    env.update(LD_PRELOAD=LIBRARY, LD_LIBRARY_PATH=blas_folder, OMP_NUM_THREADS="2",
               BLIS_NUM_THREADS="1", KNAP_DEVICE="cpu", KNAP_STATS="-", **knobs)
    if os.environ.get("SAN"):
        env["LD_PRELOAD"] = compilers_asan() + " " + LIBRARY
        env["ASAN_OPTIONS"] = "detect_leaks=0,verify_asan_link_order=0"
    return env

def statistics(stderr):
    """The JSON object that KNAP_STATS=- writes at the parent's exit; {} where there is none."""
    start = stderr.rfind('{"knap"')
    try:
        return json.JSONDecoder().raw_decode(stderr[max(start, 0):])[0]
    except ValueError:
        return {}

def run_program(env):
    try:
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True,
                              text=True, timeout=300)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode() + "\ndid not end: False", "", {}
    ended = f"ended well: {done.returncode == 0 and 'runtime error' not in done.stderr}"
    return done.stdout + "\n" + ended, done.stderr, statistics(done.stderr)

def check(title, env, expect):
    """Runs the program; expect(statistics) is a dictionary of further claims."""
    stdout, stderr, stats = run_program(env)
    for line in stdout.splitlines():
        case, _, passed = line.rpartition(": ")
        if case: ok(passed == "True", f"{title}: {case}", stderr)
    claims = expect(stats) if stats else {"wrote statistics": False}
    for claim, holds in claims.items(): ok(holds, f"{title}: {claim}", json.dumps(stats))

def libraries_of(stats):
    return {row["where"] for row in stats["rows"] if row["place"] == "next" and row["where"]}

def forwarded(folder):
    return lambda s: {
        "every call was forwarded": s["next_calls"] > 100 and s["next_calls"] == s["calls"],
        "to that library": all(os.path.realpath(x).startswith(folder) for x in libraries_of(s)),
    }

def auto(folder):
    return lambda s: {**forwarded(folder)(s), "large calls were seen": libraries_of(s) != set()}

def computed(stats):
    here = stats["cpu_calls"]
    return {"every call was computed by us": here > 100 and here == stats["calls"]}

def check_blas(name, folder):
    check(f"{name}, never", environment(folder, KNAP_MODE="never"), forwarded(folder))
    check(f"{name}, auto", environment(folder, KNAP_MODE="auto"), auto(folder))
    check(f"{name}, always", environment(folder, KNAP_MODE="always"), computed)

def folder_of(name):
    found = glob.glob(f"/usr/lib/*/{name}/libblas.so.3")
    return os.path.dirname(found[0]) if found else None

def main():
    if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode:
        skip_all("python3-numpy is not installed")
    if os.environ.get("SAN") and not os.path.exists(compilers_asan()):
        skip_all("no libasan.so to preload before a sanitized libknap.so")
    folders = {name: folder_of(name) for name in ("openblas-pthread", "blis-openmp")}
    for name, folder in folders.items():
        if folder:
            check_blas(name, folder)
        else:
            points["run"] += 1
            print(f"ok {points['run']} # SKIP {name} is not installed")
    if all(folders.values()):
        blis, openblas = folders["blis-openmp"], folders["openblas-pthread"]
        check("BLIS, KNAP_BLAS=OpenBLAS", environment(blis, KNAP_BLAS=openblas + "/libblas.so.3"),
              auto(openblas))
    print(f"1..{points['run']}")
    return 1 if points["failed"] else 0

sys.exit(main())
