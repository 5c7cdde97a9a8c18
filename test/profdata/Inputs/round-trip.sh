#!/bin/sh
# round-trip.sh MEMPROFDATA FILE [OPTION]... -- FILE through FILE.txt and back,
# merged with the options: the same bytes.
set -e
tool=$1 file=$2
shift 2
"$tool" merge --text "$file" -o "$file.txt"
"$tool" merge "$@" "$file.txt" -o "$file.again"
cmp "$file" "$file.again"
"$tool" merge --text "$file.again" -o "$file.txt2"
cmp "$file.txt" "$file.txt2"
