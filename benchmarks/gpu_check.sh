#!/bin/sh
# gpu_check: all that has to be seen on a real GPU, in one go: the checker over every kernel row, the sanitizers
# on a small list, the demo, and the table next to cuBLAS. Results go to the folder given as argument.
#
#     benchmarks/gpu_check.sh OUT [check|sanitize|demo|bench]...        all four by default
#
# PYTHON names an interpreter that has numpy. Exit status 0 if and only if every part passed.
set -u
out=${1:?usage: benchmarks/gpu_check.sh OUT [part]...}
shift
[ $# -gt 0 ] || set -- check sanitize demo bench
cd "$(dirname "$0")/.." || exit 1
mkdir -p "$out"
failed=0
note() { # status, what
    if [ "$1" -eq 0 ]; then echo "ok     $2"; else echo "FAILED $2 (status $1)"; failed=1; fi
}

make -j "$(nproc)" all tests >"$out/make.log" 2>&1 || { tail "$out/make.log"; exit 1; }

for part in "$@"; do
    case $part in
    check)
        build/tests/test_jit >"$out/jit.tap" 2>&1
        note $? "the driver's JIT: $(grep -c '^ok' "$out/jit.tap") kernel rows, no spill, no warning"
        build/tests/test_kernels >"$out/check.tap" 2>&1
        note $? "checker: $(grep -c '^ok [0-9]* - 0 ' "$out/check.tap") points on the GPU, $(grep -c '^not ok' "$out/check.tap") failures"
        ;;
    sanitize)
        for tool in memcheck racecheck initcheck; do
            compute-sanitizer --tool $tool --error-exitcode 9 build/tests/test_kernels \
                f32:65x33x17 f64:33x65x16:tn f16:130x70x40:nt f16:129x65x33:tt:c=f32 bf16:64x64x64:beta=1 \
                f16:128x128x64:tn f32:128x128x16:nt >"$out/$tool.log" 2>&1
            note $? "compute-sanitizer $tool: $(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$out/$tool.log")"
        done
        ;;
    demo)
        KNAP_BUILD=$PWD/build sh benchmarks/demo.sh >"$out/demo.log" 2>&1
        note $? "demo: $(grep -c '^  sgemm.*gpu:' "$out/demo.log") sgemm lines on the GPU"
        ;;
    bench)
        for list in square transposes skinny; do
            build/knap bench -f benchmarks/shapes/$list.txt --vs cublas -y --csv "$out/$list.csv" \
                >"$out/$list.log" 2>&1
            note $? "bench $list"
            cat "$out/$list.log"
        done
        ;;
    esac
done
exit $failed
