#!/bin/sh
# house: the rules of the house that a machine can check, and what an installed knap gives.
#
# Headers that compile alone, budgets, who may call what, a build by clang, and `make install` used through
# pkg-config. Prints TAP. KNAP_BUILD, CC and SAN come from `make check`.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL
cc=${CC:-cc}
flags="$(sed -nE 's/^(CSTD|WARN) *:= *//p' Makefile | tr '\n' ' ') -O1 -fopenmp -I."
rooms="layout gpu cpu_ref plugin framework_glue benchmarks tests"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=0
failed=0

# -- TAP ---------------------------------------------------------------------------------------------

# One point: passes if the status of the last command, $1, is 0; shows $tmp/log if not.
point()
{
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
        return
    fi
    failed=$((failed + 1))
    echo "not ok $count - $2"
    head -n 40 "$tmp/log" | sed 's/^/# /'
}

skip()
{
    count=$((count + 1))
    echo "ok $count # SKIP $1"
}

# A point that passes if the log is empty: each of its lines is a violation.
none()
{
    [ ! -s "$tmp/log" ]
    point $? "$1"
}

# Files of the rooms given whose name matches $1.
files()
{
    pattern=$1
    shift
    for room in "$@"; do
        [ ! -d "$room" ] || find "$room" -name "$pattern"
    done | sort
}

# Lines of the C files of the rooms given that call a function of the pattern $1, as file:line: text.
callers()
{
    pattern=$1
    shift
    files '*.[ch]' "$@" | xargs grep -nE "(^|[^A-Za-z0-9_])($pattern) *\(" /dev/null |
        grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)'
}

# -- Layers ------------------------------------------------------------------------------------------

sh tests/layers.sh >"$tmp/log" 2>&1
point $? "nobody includes what lies above"

# layers.sh must refuse a tree whose file $1 includes $2.
refuses()
{
    rm -rf "$tmp/tree"
    mkdir -p "$tmp/tree/$(dirname "$1")"
    echo "#include $2" >"$tmp/tree/$1"
    ! sh tests/layers.sh "$tmp/tree" >"$tmp/log" 2>&1
    point $? "layers: $1 must not include $2"
}
refuses layout/a.c '"gpu/ptx.h"'
refuses gpu/a.c '"cpu_ref/fp.h"'
refuses cpu_ref/a.c '"gpu/gpu.h"'
refuses gpu/sim/a.c '"plugin/knap.h"'
refuses plugin/a.c '"framework_glue/a.h"'
refuses plugin/a.c '"benchmarks/bench.h"'
refuses gpu/a.c '<cuda_runtime_api.h>'
refuses gpu/a.c '"../layout/layout.h"'

# -- Headers -----------------------------------------------------------------------------------------

# Each header alone, and twice. The typedef is there because C forbids an empty source.
# shellcheck disable=SC2086
for header in $(files '*.h' $rooms); do
    printf '#include "%s"\n#include "%s"\ntypedef int House;\n' "$header" "$header" |
        $cc $flags -fsyntax-only -x c - >"$tmp/log" 2>&1
    point $? "$header compiles alone"
done
if command -v g++ >/dev/null; then
    printf '#include "plugin/knap.h"\nint main() { return knap_version() == nullptr; }\n' |
        g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only -x c++ - >"$tmp/log" 2>&1
    point $? "plugin/knap.h is C++ too"
    printf '#include "%s"\n' layout/*.h |
        g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only -x c++ - >"$tmp/log" 2>&1
    point $? "layout/*.h are C++ too"
else
    skip "no g++ here"
fi

# -- Budgets -----------------------------------------------------------------------------------------

# shellcheck disable=SC2086
sources=$(files '*.[ch]' $rooms)
# shellcheck disable=SC2086
everything="$sources Makefile bootstrap $(files '*.sh' $rooms) $(files '*.py' $rooms) $(files '*.t' $rooms)"

# shellcheck disable=SC2086
awk 'FNR == 601 { print FILENAME ": over 600 lines" }' $everything >"$tmp/log"
none "no file over 600 lines"
# shellcheck disable=SC2086
awk 'FNR == 1 { table = 0 }
    /clang-format off/ { table = 1 }
    /clang-format on/ { table = 0 }
    !table && length > 100 { print FILENAME ":" FNR ": " length " columns" }' $sources >"$tmp/log"
none "no line over 100 columns but in tables"
# shellcheck disable=SC2046,SC2086
awk 'FNR == 1 { start = 0 }
    /^{/ { start = FNR }
    /^}/ { if (start && FNR - start > 101) print FILENAME ":" start ": " FNR - start - 1 " lines"; start = 0 }' \
    $(files '*.c' $rooms) >"$tmp/log"
none "no function over 100 lines"
# shellcheck disable=SC2086
grep -nE '[[:space:]]$|	' $sources >"$tmp/log"
none "no tab, no space at a line's end"

# -- Who may call what -------------------------------------------------------------------------------

callers '(secure_)?getenv' layout gpu cpu_ref plugin framework_glue benchmarks |
    grep -v '^plugin/env\.c:' >"$tmp/log"
none "only plugin/env.c reads the environment"
allocators='[mc]alloc|realloc(array)?|free|aligned_alloc|posix_memalign|str(n)?dup|v?asprintf'
callers "$allocators" layout >"$tmp/log"
none "layout/ allocates nothing"
callers 'abort|_?exit|_Exit' layout gpu cpu_ref plugin framework_glue |
    grep -vE '^plugin/cli[^/]*:' >"$tmp/log"
none "the library never ends the process"

# -- Builds ------------------------------------------------------------------------------------------

can_clang()
{
    printf '#include <omp.h>\nint main(void) { return omp_get_num_threads() != 1; }\n' |
        clang -fopenmp -x c -o "$tmp/omp" - >/dev/null 2>&1
}
if ! can_clang; then
    skip "no clang with OpenMP here"
elif make -s CC=clang SAN= lib >"$tmp/log" 2>&1 && ! grep -q 'warning:' "$tmp/log"; then
    point 0 "clang builds the libraries without a warning"
else
    point 1 "clang builds the libraries without a warning"
fi

# -- Installed ---------------------------------------------------------------------------------------

# What an installation holds, a library for each framework among it.
installs()
{
    for file in bin/knap include/knap.h lib/libknap.a lib/libknap.so lib/libknap.so.0 \
        lib/libknap64.so lib/libknap64.so.0 lib/pkgconfig/knap.pc; do
        echo "$file"
    done
    for glue in framework_glue/*/; do
        [ ! -d "$glue" ] || echo "lib/libknap_$(basename "$glue").so"
    done
}

stage=$tmp/stage/usr

# pkg-config on the staged knap.pc; the prefix is where the files lie now.
staged()
{
    PKG_CONFIG_PATH=$stage/lib/pkgconfig pkg-config --define-variable=prefix="$stage" "$@" knap
}

check_installed()
{
    make -s CC="$cc" SAN= DESTDIR="$tmp/stage" PREFIX=/usr install >"$tmp/log" 2>&1
    installed=$?
    point "$installed" "make install"
    [ "$installed" -eq 0 ] || return
    installs | LC_ALL=C sort >"$tmp/expected"
    (cd "$stage" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort) 2>&1 |
        diff "$tmp/expected" - >"$tmp/log" 2>&1
    point $? "it installs what it should and nothing else"
    grep -n -e @ -e "$tmp" "$stage/lib/pkgconfig/knap.pc" >"$tmp/log" 2>&1
    none "knap.pc is filled in, and knows nothing of DESTDIR"
}

# The program of a first user: sgemm_ from libknap, with no other BLAS, and the public header.
write_user()
{
    cat >"$tmp/user.c" <<'USER'
#include <knap.h>
#include <stdio.h>

void sgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc);

int main(void)
{
    const int n = 2;
    const float one = 1, zero = 0, a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    float c[4];
    sgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    printf("%s %g %g %g %g\n", knap_version(), c[0], c[1], c[2], c[3]);
    return 0;
}
USER
}

# The program that README.md shows.
write_readme()
{
    awk '/^```/ { code = ($0 == "```c"); next } code' README.md >"$tmp/readme.c"
}

# Links program $1 with the words after $2, runs it, and compares what it says with $2.
says()
{
    program=$1
    expected=$2
    shift 2
    # shellcheck disable=SC2046
    $cc -std=c11 -Wall -Wextra -Werror $(staged --cflags) "$tmp/$program.c" -o "$tmp/$program" "$@" \
        >"$tmp/log" 2>&1 &&
        LD_LIBRARY_PATH=$stage/lib "$tmp/$program" >"$tmp/said" 2>"$tmp/log" &&
        echo "$expected" | diff - "$tmp/said" >"$tmp/log" 2>&1
}

check_user()
{
    write_user
    write_readme
    hello="$(staged --modversion) 23 34 31 46"
    # shellcheck disable=SC2046
    says user "$hello" $(staged --libs)
    point $? "a C program links through pkg-config, multiplies, and sees knap.pc's version"
    # shellcheck disable=SC2046
    says user "$hello" $(staged --libs --static | sed "s|-lknap|$stage/lib/libknap.a|")
    point $? "the same with libknap.a"
    # shellcheck disable=SC2046
    says readme "4 5 10 11" $(staged --libs)
    point $? "README.md's program compiles and says what it should"
    # shellcheck disable=SC2016  # the inner shell's variable
    "$stage/bin/knap" run -- /bin/sh -c 'echo "$LD_PRELOAD"; exit 7' >"$tmp/log" 2>&1
    [ $? -eq 7 ] && grep -qF "$stage/lib/libknap.so" "$tmp/log"
    point $? "knap run preloads the library installed beside it and passes on the exit status"
}

if [ -n "${SAN-}" ]; then
    skip "installing: the build without sanitizers does it"
else
    check_installed
    if [ "$installed" -ne 0 ]; then
        skip "using what is installed: nothing is"
    elif command -v pkg-config >/dev/null; then
        check_user
    else
        skip "no pkg-config here"
    fi
fi

echo "1..$count"
[ "$failed" -eq 0 ]
