#!/bin/sh
# cli: the knap command as a user meets it: what it prints, its exit status, a program run under it.
# KNAP_BUILD names the folder of libknap.so and knap.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${KNAP_BUILD:-$root/build}
knap=$build/knap
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0

# point STATUS TEXT: one point; STATUS 0 passes.
point()
{
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; failed=1; fi
}

skip()
{
    n=$((n + 1))
    echo "ok $n # SKIP $1"
}

# run STATUS TEXT COMMAND...: exits with STATUS; what it prints is in $work/out and $work/err.
run()
{
    want=$1 text=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$want" ]
    point $? "$text"
    [ "$got" -eq "$want" ] || { echo "# exit $got, not $want"; sed 's/^/# /' "$work/err"; }
}

# has FILE PATTERN...: each pattern is in the file.
has()
{
    file=$work/$1
    shift
    for pattern in "$@"; do
        grep -qE -e "$pattern" "$file"
        point $? "... says $pattern"
    done
}

failed=0
unset KNAP_MODE KNAP_DEVICE KNAP_SGEMM KNAP_VERBOSE KNAP_STATS KNAP_DUMP KNAP_BLAS KNAP_ILP64

# -- Help and wrong usage -----------------------------------------------------------------------
run 0 "help" "$knap" help
has out 'knap run' 'knap info' 'knap explain' 'knap list' 'knap bench'
run 0 "version" "$knap" --version
has out '^knap [0-9]+\.[0-9]+\.[0-9]+$'
wrong()
{
    run 2 "wrong: knap $*" "$knap" "$@"
    [ "$(wc -l <"$work/err")" -eq 1 ] && [ ! -s "$work/out" ]
    point $? "... one sentence on stderr: $(head -1 "$work/err")"
}
wrong
wrong sing
wrong info x
wrong list x
wrong explain
wrong explain xgemm 1 1 1
wrong explain sgemm 1 1
wrong explain sgemm 1 -1 1
wrong explain sgemm 1 1 1 nx
wrong explain sgemm 1 1 1 --gpu abacus
wrong run
wrong run --mode
wrong run --colour red -- true

# -- info, list, explain ------------------------------------------------------------------------
run 0 "info" env KNAP_DEVICE=cpu KNAP_VERBOSE=1 "$knap" info
has out '^devices ' 'KNAP_DEVICE=cpu' '^next BLAS ' '^CPU +[0-9]+ cores' 'KNAP_VERBOSE += 1' \
    'KNAP_MODE += auto'
run 0 "list" "$knap" list
has out 'SM80_16x8x16_F32F16F16F32_TN +sm_80' 'simt_f32' 'mma_bf16'
run 0 "explain a large sgemm on an H100" "$knap" explain sgemm 4096 4096 4096 nt --gpu h100
has out 'H100' 'refused: ' 'GPU +[0-9.]+ ms' 'CPU +[0-9.]+ m?s' '->  +GPU: '
run 0 "explain a tiny one" "$knap" explain sgemm 8 8 8 --gpu h100
has out '->  +CPU: tiny'
run 0 "explain half types on a Volta" "$knap" explain hgemm 4096 4096 4096 --gpu v100
has out '->  +CPU: no kernel'
run 0 "explain without a GPU" "$knap" explain dgemm 2000 2000 2000 --device cpu
has out '->  +CPU: no device'

# -- run ----------------------------------------------------------------------------------------
# A program of 3 products of 200^3 and one of 2^3, linked with the system's BLAS, else with ours.
cat >"$work/program.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
void sgemm_(const char *, const char *, const int *, const int *, const int *, const float *,
            const float *, const int *, const float *, const int *, const float *, float *,
            const int *);
static int multiply(int n)
{
    const float one = 1, zero = 0;
    int wrong = 0;
    float *a = malloc(sizeof *a * n * n), *c = malloc(sizeof *c * n * n);
    for (int i = 0; i < n * n; i++) a[i] = (float)(i % 3 - 1);
    sgemm_("N", "T", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int p = 0; p < n; p++) sum += a[i + p * n] * a[p * n];
        wrong += c[i] != sum;
    }
    free(a);
    free(c);
    return wrong;
}
int main(int argc, char **argv)
{
    int wrong = multiply(200) + multiply(200) + multiply(200) + multiply(2);
    puts(wrong ? "wrong" : "right");
    return argc > 1 ? atoi(argv[1]) : 0;
}
END
program=$work/program
if [ -n "${SAN:-}" ]; then
    skip "run: a sanitized library cannot be preloaded"
elif ! ${CC:-cc} -O1 -o "$program" "$work/program.c" -l:libblas.so.3 2>"$work/err" &&
    ! ${CC:-cc} -O1 -o "$program" "$work/program.c" -L"$build" -lknap 2>"$work/err"; then
    skip "run: no compiler or no BLAS for the program"
else
    export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    run 0 "run on the CPU" "$knap" run --device cpu -- "$program"
    has out '^right$'
    has err '^knap: 4 calls: 0 on the GPU' 'sgemm +128-255 +3 .*no device'
    run 0 "run with our own code" "$knap" run --mode always --device cpu --verbose 1 -- "$program"
    has out '^right$'
    has err ' 4 by cpu_ref' '^KNAP_VERBOSE sgemm\(NT,200,200,200,alpha=1,lda=200' \
        'cpu:cpu_ref \(no device\)'
    run 0 "run, never on the GPU" "$knap" run --mode never --stats "$work/stats.json" -- "$program"
    has out '^right$'
    has stats.json '^\{"knap": "[0-9.]+", "calls": 4,' '"reason": "mode"'
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/stats.json" 2>/dev/null
    status=$?
    if command -v python3 >/dev/null; then
        point $status "... which python reads"
    else
        skip "no python3"
    fi
    run 7 "the exit status is passed on" "$knap" run --device cpu -- "$program" 7
    run 0 "children are added up" "$knap" run --device cpu -- sh -c '"$0"; "$0"' "$program"
    has err '^knap: 8 calls'
    run 143 "so is a signal" "$knap" run -- sh -c 'kill -TERM $$'
    run 127 "a program that is not there" "$knap" run -- "$work/nothing"
    run 0 "a program without a BLAS" "$knap" run -- true
    has err 'no BLAS product'
    run 0 "the variables alone" \
        env LD_PRELOAD="$build/libknap.so" KNAP_DEVICE=cpu KNAP_STATS=- "$program"
    has err '^\{"knap"' '"calls": 3,'
fi

echo "1..$n"
exit "$failed"
