#!/bin/sh
# forward: how calls pass from a program through libknap.so to the BLAS behind it, seen by a BLAS
# that writes down its arguments (tests/spy_blas.c), and how wrong arguments reach the program
# (tests/spy_program.c). Prints TAP. KNAP_BUILD, CC and SAN come from `make check`.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${KNAP_BUILD:-build}" && pwd) || exit 1
cc=${CC:-gcc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset KNAP_BLAS KNAP_ILP64 KNAP_VERBOSE KNAP_DUMP KNAP_SGEMM
asan=
if [ -n "${SAN:-}" ]; then
    asan=$($cc -print-file-name=libasan.so)
    [ -e "$asan" ] || { echo "1..0 # SKIP a sanitized libknap.so needs $cc's libasan.so"; exit 0; }
    export ASAN_OPTIONS=detect_leaks=0,verify_asan_link_order=0,detect_odr_violation=0
fi

flags="-std=c11 -D_GNU_SOURCE -O1 -I. -fPIC"
$cc $flags -shared -o "$tmp/libspy.so" tests/spy_blas.c -Wl,-z,lazy &&
    $cc $flags -rdynamic -o "$tmp/program" tests/spy_program.c -Wl,-rpath,"$tmp" \
        -Wl,-rpath,"$build" -Wl,--no-as-needed "$build/libknap.so" "$tmp/libspy.so" ||
    { echo "Bail out! $cc cannot build the spy"; exit 255; }

# run MODE CALLS: the program's points are remarks here; its exit status and its calls are judged.
count=0
failed=0
run()
{
    LD_PRELOAD="$asan $build/libknap.so" KNAP_MODE=$1 KNAP_DEVICE=cpu KNAP_STATS="$tmp/stats" \
        "$tmp/program" "$1" > "$tmp/log" 2>&1
    status=$?
    sed 's/^/# /' "$tmp/log"
    point "$status" "$1: $(grep -c '^ok' "$tmp/log") points hold"
    calls=$(sed -nE 's/.*"calls": ([0-9]+), "gpu_calls".*/\1/p' "$tmp/stats")
    [ "$calls" = "$2" ]
    point $? "$1: $calls calls counted, $2 expected"
}

point()
{
    count=$((count + 1))
    [ "$1" -eq 0 ] || { failed=$((failed + 1)); printf 'not '; }
    echo "ok $count - $2"
}

# The call that is left by longjmp, and the one after it, count as any other.
run never 4
run auto 4
run always 1

# Who stands in front of us and comes by RTLD_NEXT must not be taken for what comes next.
blas=$(ls /usr/lib*/*/blas/libblas.so.3 2>/dev/null | head -1)
if [ -n "$blas" ]; then
    $cc $flags -shared -DTRACER -o "$tmp/tracer.so" tests/front_program.c -ldl
    $cc $flags -o "$tmp/front" tests/front_program.c "$blas"
    for libs in "$build/libknap.so" "$tmp/tracer.so $build/libknap.so" "$build/libknap.so $tmp/tracer.so" \
        "$build/libknap.so $build/libknap64.so"; do
        for mode in never auto always; do
            LD_PRELOAD="$asan $libs" KNAP_MODE=$mode KNAP_DEVICE=cpu timeout 20 "$tmp/front" 2>/dev/null
            point $? "$mode under $(basename -a $libs | tr '\n' ' ')"
        done
    done
fi
echo "1..$count"
[ "$failed" -eq 0 ]
