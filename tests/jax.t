#!/bin/sh
# jax: JAX itself multiplies through libknap_jax.so, on the CPU and, where there is one, on a GPU.
#
# Skipped where no python3 has jax. KNAP_BUILD is the folder of libknap.so; SAN=1 says that it was
# built with sanitizers, which a Python without them cannot load.
here=$(dirname "$0")
library=${KNAP_BUILD:-$here/../build}/framework_glue/libknap_jax.so

skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

# The first python3 that has jax.
find_python()
{
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import jax.ffi' >/dev/null 2>&1; then
            echo "$python"
            return
        fi
    done
}

[ -z "${SAN-}" ] || skip_all "the build without sanitizers does it"
python=$(find_python)
[ -n "$python" ] || skip_all "no python3 here has jax"
exec "$python" "$here/matmul_jax.py" "$library"
