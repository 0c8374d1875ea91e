"""matmul_jax: knap_jax.matmul under a real JAX, on each of its platforms. Prints TAP; run by jax.t.

Products of small integers are exact, so they must have jnp.matmul's bits; products of random
numbers must keep the componentwise bound of a gemm. The argument is the path of libknap_jax.so.
"""
import os
import sys

sys.dont_write_bytecode = True
# JAX must leave the GPU room for knap's own buffers.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../framework_glue/jax"))

import jax
import jax.numpy as jnp
import numpy as np
import knap_jax

# Unit roundoffs: of the accumulator (2^-22 for tensor cores, whose adder truncates), and of the
# type. What float64 is compared with errs as much itself; complex products err 2 sqrt 2 times more.
UNITS = {"float16": (2.0**-22, 2.0**-11), "bfloat16": (2.0**-22, 2.0**-8),
         "float32": (2.0**-24, 2.0**-24), "float64": (2.0**-52, 2.0**-53),
         "complex64": (2.0**-22, 2.0**-24), "complex128": (2.0**-50, 2.0**-53)}

rng = np.random.default_rng(1)
points = {"run": 0, "failed": 0}


# -- TAP -------------------------------------------------------------------------------------------

def ok(passed, name):
    points["run"] += 1
    points["failed"] += not passed
    print(f"{'' if passed else 'not '}ok {points['run']} - {name}", flush=True)


def skip(name, why):
    points["run"] += 1
    print(f"ok {points['run']} - {name} # SKIP {why}", flush=True)


# -- Operands --------------------------------------------------------------------------------------

def integers(shape, dtype):
    x = rng.integers(-2, 3, shape)
    return jnp.asarray(x + 1j * rng.integers(-2, 3, shape) if "complex" in dtype else x, dtype)


def reals(shape, dtype):
    x = rng.standard_normal(shape)
    return jnp.asarray(x + 1j * rng.standard_normal(shape) if "complex" in dtype else x, dtype)


def wide(x):
    return np.asarray(x).astype(np.complex128 if jnp.iscomplexobj(x) else np.float64)


def expected(a, b):
    return jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST)


def same(x, y):
    return x.dtype == y.dtype and x.shape == y.shape and bool((x == y).all())


def exact(a, b, multiply=knap_jax.matmul):
    return same(multiply(a, b), expected(a, b))


# -- Cases -----------------------------------------------------------------------------------------

def within_bound(a, b, dtype):
    inner, outer = UNITS[dtype]
    right = wide(a) @ wide(b)
    bound = (a.shape[-1] + 4) * inner * (abs(wide(a)) @ abs(wide(b))) + outer * abs(right)
    return bool((abs(wide(knap_jax.matmul(a, b)) - right) <= bound).all())


def check_type(where, dtype):
    name = f"{where}: {dtype}"
    try:
        ok(exact(integers((37, 19), dtype), integers((19, 53), dtype)), f"{name}, integers, exact")
    except jax.errors.JaxRuntimeError as error:
        if "UNIMPLEMENTED: knap: " not in str(error):
            raise
        return skip(name, str(error))
    a, b = reals((129, 257), dtype), reals((257, 65), dtype)
    ok(within_bound(a, b, dtype), f"{name}, within its bound")


def check_shapes(where):
    for a, b in [((6, 5, 7), (7, 4)), ((5, 7), (6, 7, 4)), ((2, 3, 5, 7), (2, 3, 7, 4)),
                 ((2, 1, 5, 7), (3, 7, 4)), ((2, 3, 1, 5, 7), (3, 4, 7, 2)), ((1, 1), (1, 1)),
                 ((4, 0), (0, 3)), ((0, 4), (4, 3))]:
        ok(exact(integers(a, "float32"), integers(b, "float32")), f"{where}: {a} @ {b}")
    half, single = integers((5, 7), "float16"), integers((7, 4), "float32")
    ok(exact(half, single), f"{where}: mixed types are promoted")


def check_transforms(where):
    multiply = knap_jax.matmul
    a, b = integers((6, 3, 5), "float32"), integers((6, 5, 4), "float32")
    w = integers((5, 4), "float32")
    ok(exact(a, b, jax.jit(multiply)), f"{where}: jit")
    ok(exact(a, b, jax.vmap(multiply)), f"{where}: vmap over both")
    ok(exact(a, w, jax.vmap(multiply, (0, None))), f"{where}: vmap over A")
    ok(exact(a[0], b, jax.vmap(multiply, (None, 0))), f"{where}: vmap over B")
    crossed = jax.vmap(jax.vmap(multiply, (None, 0)), (0, None))
    ok(same(crossed(a, b), expected(a[:, None], b[None])), f"{where}: vmap in vmap")
    ok(exact(a, integers((3, 6, 5, 4), "float32"), jax.vmap(multiply, (None, 0))),
       f"{where}: vmap where the number of axes differs")


def check_gradients(where):
    loss = lambda multiply: lambda a, b: (multiply(a, b) * jnp.arange(4, dtype="float32")).sum()
    for a, b in [((3, 5), (5, 4)), ((6, 3, 5), (5, 4)), ((3, 5), (6, 5, 4)),
                 ((2, 1, 3, 5), (6, 5, 4))]:
        operands = integers(a, "float32"), integers(b, "float32")
        got = jax.grad(loss(knap_jax.matmul), (0, 1))(*operands)
        right = jax.grad(loss(expected), (0, 1))(*operands)
        ok(same(got[0], right[0]) and same(got[1], right[1]), f"{where}: grad of {a} @ {b}")


def check_order(where):
    """XLA's own work before and after each product: right only if all are on one stream."""
    @jax.jit
    def powers(x, rotate):
        for _ in range(16):
            x = knap_jax.matmul(x + 1, rotate) - 1
        return x
    n = 1024
    x = integers((n, n), "float32")
    rotate = jnp.roll(jnp.eye(n, dtype="float32"), 1, axis=1)
    ok(all(same(powers(x + i, rotate), jnp.roll(x + i, 16, axis=1)) for i in range(8)),
       f"{where}: products between XLA's own kernels")


def check_errors(where):
    said = ""
    try:
        jax.block_until_ready(knap_jax.matmul(jnp.ones((3, 4)), jnp.ones((5, 2))))
    except jax.errors.JaxRuntimeError as error:
        said = str(error)
    ok("A has 4 columns, but B has 5 rows" in said, f"{where}: shapes that do not fit are refused")
    a, b = integers((3, 4), "float32"), integers((4, 2), "float32")
    ok(exact(a, b), f"{where}: and the next product is right")


def check_platform(device):
    with jax.default_device(device):
        where = device.platform
        for dtype in UNITS:
            check_type(where, dtype)
        check_shapes(where)
        check_transforms(where)
        check_gradients(where)
        check_order(where)
        check_errors(where)


def devices():
    """One of each platform."""
    found = jax.devices("cpu")[:1]
    try:
        found += jax.devices("cuda")[:1]
    except RuntimeError as error:
        skip("CUDA", str(error).splitlines()[0])
    return found


def main(library):
    jax.config.update("jax_enable_x64", True)
    knap_jax.register(library)
    print(f"# jax {jax.__version__}, {sys.executable}")
    for device in devices():
        check_platform(device)
    print(f"1..{points['run']}")
    return points["failed"] > 0


sys.exit(main(sys.argv[1]))
