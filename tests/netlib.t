#!/bin/sh
# netlib: the reference's own tests of level-3 BLAS, error exits included, under LD_PRELOAD.
#
# The programs are Debian's libblas-test and libblas64-test, unmodified. Forced (KNAP_MODE=always on
# the CPU) every gemm they make must be computed by us; forwarded, each must be counted once,
# although netlib's and BLIS's cblas_?gemm call ?gemm_, which is us again. The statistics tell.
# Prints TAP.
# KNAP_BUILD: folder of libknap.so and libknap64.so. SAN=1: they were built with sanitizers.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(cd "${KNAP_BUILD:-build}" && pwd) || exit 1
gemm_calls=17496 # that each program makes per storage order, wrong ones apart
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
count=0
failed=0
unset KNAP_BLAS KNAP_ILP64 KNAP_VERBOSE KNAP_DUMP KNAP_SGEMM
export KNAP_DEVICE=cpu KNAP_STATS="$tmp/stats" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# -- TAP -------------------------------------------------------------------------------------------

# One point, which passes if the status $1 is 0; $tmp/log says why if not.
point()
{
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
        return
    fi
    failed=$((failed + 1))
    echo "not ok $count - $2"
    tail -n 30 log | sed 's/^/# /'
}

skip()
{
    count=$((count + 1))
    echo "ok $count # SKIP $1"
}

# -- Running a program -----------------------------------------------------------------------------

asan=
if [ -n "${SAN:-}" ]; then
    asan=$(${CC:-gcc} -print-file-name=libasan.so)
    [ -e "$asan" ] || { echo "1..0 # SKIP a sanitized libknap.so needs gcc's libasan.so"; exit 0; }
    export ASAN_OPTIONS=detect_leaks=0,verify_asan_link_order=0
fi

# A number of the statistics: stat cpu_calls
stat()
{
    sed -nE "s/.*\"$1\": ([0-9]+).*/\1/p" stats | head -n 1
}

# run LIBRARY PROGRAM INPUT: its whole report, file or stdout, goes to log.
run()
{
    rm -f -- *.out stats
    LD_PRELOAD="$asan $1" timeout 300 "$2" < "$3" > log 2>&1
    status=$?
    cat -- *.out >> log 2> /dev/null
    [ "$status" -eq 0 ] || echo "exit status $status" >> log
    return "$status"
}

# True if the report in log says that every routine passed, and gemm's error exits and products too.
passed()
{
    ! grep -qE 'FAIL|FATAL|ABANDON|\*{5}|runtime error' log &&
        grep -qiE "gemm +PASSED THE TESTS OF ERROR-EXITS" log &&
        [ "$(grep -ciE "gemm +PASSED THE .*COMPUTATIONAL TESTS" log)" -eq "$1" ]
}

# True if all of at least $1 calls were counted, once, at the place $2: cpu_calls or next_calls. The
# few beyond are the error exits.
counted()
{
    calls=$(stat calls)
    [ -n "$calls" ] && [ "$(stat "$2")" -eq "$calls" ] && [ "$calls" -ge "$1" ] &&
        [ "$calls" -lt $(($1 + 100)) ] && return
    echo "statistics: want $1 $2, have:" >> log
    cat stats >> log
    return 1
}

# program TITLE LIBRARY PROGRAM INPUT ORDERS PLACE
program()
{
    run "$2" "$3" "$4" && passed "$5" && counted $(($5 * gemm_calls)) "$6"
    point $? "$1, $(basename "$3")"
}

# programs TITLE LIBRARY FOLDER PLACE: all eight of a folder of tests
programs()
{
    for x in s d c z; do
        program "$1" "$2" "$3/xblat3$x" "$3/${x}blat3.in" 1 "$4"
        program "$1" "$2" "$3/x${x}cblat3" "$3/${x}in3" 2 "$4"
    done
}

# -- All of them -----------------------------------------------------------------------------------

folder_of()
{
    for path in /usr/lib/*/"$1"; do
        [ ! -e "$path" ] || { dirname "$path"; return; }
    done
}

netlib=$(folder_of blas/xblat3s)
netlib64=$(folder_of blas64/xblat3s)
[ -n "$netlib" ] || { echo "1..0 # SKIP libblas-test is not installed"; exit 0; }

for name in blas blis-openmp openblas-pthread; do
    folder=$(folder_of $name/libblas.so.3)
    [ -n "$folder" ] || { skip "no libblas.so.3 in $name"; continue; }
    export LD_LIBRARY_PATH="$folder"
    KNAP_MODE=always programs "$name, forced" "$build/libknap.so" "$netlib" cpu_calls
    KNAP_MODE=never programs "$name, forwarded" "$build/libknap.so" "$netlib" next_calls
done
unset LD_LIBRARY_PATH

if [ -n "$netlib64" ]; then
    KNAP_MODE=always programs "libknap64, forced" "$build/libknap64.so" "$netlib64" cpu_calls
    KNAP_MODE=never programs "libknap64, forwarded" "$build/libknap64.so" "$netlib64" next_calls
    export KNAP_ILP64=1
    KNAP_MODE=always programs "KNAP_ILP64=1, forced" "$build/libknap.so" "$netlib64" cpu_calls
else
    skip "libblas64-test is not installed"
fi
echo "1..$count"
[ "$failed" -eq 0 ]
