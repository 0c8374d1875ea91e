#!/bin/sh
# layers: who may include whom.
#
#     layout <- gpu, cpu_ref <- plugin <- framework_glue          gpu and cpu_ref do not know each other
#
# tests, benchmarks and the knap command (plugin/cli*.c) see all. CUDA's headers appear in two files only.
# Prints each violation and exits 1, else prints one line. $1: the tree to look at, by default this one.
set -eu
cd "${1:-$(dirname "$0")/..}"
rooms="layout gpu cpu_ref plugin framework_glue tests benchmarks"

sources()
{
    for room in $rooms; do
        [ ! -d "$room" ] || find "$room" -name '*.[ch]'
    done | sort
}

# file:line:#include "..." of all sources; /dev/null makes grep name the file.
includes()
{
    sources | xargs grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null || true
}

includes | awk -F: '
BEGIN {
    sees["layout"] = "layout"
    sees["gpu"] = "layout gpu"
    sees["cpu_ref"] = "layout cpu_ref"
    sees["plugin"] = "layout gpu cpu_ref plugin"
    sees["framework_glue"] = "layout gpu cpu_ref plugin framework_glue"
}
function room_of(path) { return substr(path, 1, index(path, "/") - 1) }
function sees_all(file) { return !(room_of(file) in sees) || file ~ /^plugin\/cli[^\/]*$/ }
function violation(why) { print $1 ":" $2 ": " why; bad++ }
{
    files[$1] = 1
    split($3, part, /["<>]/)
    header = part[2]
}
header ~ /^(cuda|cublas|nvrtc|nvml|driver_types|vector_types)/ {
    if ($1 != "gpu/cuda.c" && $1 != "gpu/tensormap.c") violation("CUDA header " header)
    next
}
$3 !~ /"/ { next }
header !~ /\// || header ~ /\.\./ { violation("\"" header "\" is not named from the root"); next }
!sees_all($1) && index(" " sees[room_of($1)] " ", " " room_of(header) " ") == 0 {
    violation(room_of($1) " must not know " header)
}
END {
    if (bad) exit 1
    for (file in files) count++
    print "layers: ok, " count + 0 " files"
}'
