#!/bin/sh
# demo: an unmodified numpy program under libknap.so, its calls shown and its results compared.
#
# Three runs: as it is; under knap as it comes, where each product goes to the GPU if that is faster and
# to numpy's own BLAS if not; and with our own code for every call. KNAP_BUILD names the build folder.
# Exit status 0 if and only if every run ends well and the results agree.
set -eu
here=$(dirname "$0")
knap=${KNAP_BUILD:-$here/../build}/knap
python=${PYTHON:-/usr/bin/python3}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
verdict=0

# The log of a run. The many small dgemm are LAPACK's, inside eigh: the table at the end has them.
show()
{
    echo "where each sgemm ran, and why:"
    grep '^KNAP_VERBOSE sgemm' "$out/log" | sed 's/^KNAP_VERBOSE /  /' || true
    grep -v '^KNAP_VERBOSE ' "$out/log" || true
}

# One run under knap, set by KNAP_MODE=$1.
run()
{
    KNAP_MODE=$1 KNAP_VERBOSE=1 "$knap" run -- "$python" "$here/demo.py" "$out/knap.npz" \
        2>"$out/log"
}

# A run, its log, and its comparison with the plain one.
under_knap()
{
    if ! run "$1"; then
        cat "$out/log"
        verdict=1
        return
    fi
    show
    echo "against the plain run:"
    "$python" "$here/demo_compare.py" "$out/plain.npz" "$out/knap.npz" || verdict=1
}

echo "== 1. numpy as it is"
"$python" "$here/demo.py" "$out/plain.npz"
echo
echo "== 2. under knap: the GPU where it is faster, else numpy's own BLAS"
under_knap auto
echo
echo "== 3. under knap with KNAP_MODE=always: our own code for every call"
under_knap always
echo
if [ "$verdict" -eq 0 ]; then
    echo "demo: passed: the same results in all three runs"
else
    echo "demo: FAILED: a run failed or the results differ"
fi
exit "$verdict"
