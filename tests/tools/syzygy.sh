#!/bin/sh
# Every position of all three- and four-man tables, and random ones of five-man tables, against Syzygy files.
# usage: tests/tools/syzygy.sh THETA SYZYGY_DIR CACHE_DIR [positions per five-man table, default 100000]
# Prints a line per signature and exits 1 if any disagrees. About three CPU minutes, and the building of the five-man tables.
set -u
theta=$1 syzygy=$2 cache=$3 random=${4:-100000}
wrong=0
check() {
    material=$1
    shift
    if ! totals=$("$theta" compare --syzygy "$syzygy" --material "$material" "$@" --cache "$cache" --json | tail -n 1); then
        wrong=1
    fi
    echo "$material $totals"
}
for file in "$syzygy"/*.rtbw; do
    material=$(basename "$file" .rtbw)
    # A signature without the `v` has as many letters as men.
    if [ "$(printf %s "$material" | tr -d v | wc -c)" -le 4 ]; then
        check "$material" --all
    else
        check "$material" --random "$random"
    fi
done
exit $wrong
