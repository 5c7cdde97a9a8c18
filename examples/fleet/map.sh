#!/bin/sh
# map.sh -- a mapper for Hadoop Streaming and its kind. Reads names of profiles, one a
# line; writes a line "KEY<tab>PROFILE", which is their sum in base64.
#
# usage: map.sh [KEY]
set -e
names=$(cat)
[ -n "$names" ] || exit 0 # more mappers than profiles
sum=$(mktemp)
trap 'rm -f "$sum"' EXIT
printf '%s\n' "$names" | "${MEMPROFDATA:-memprofdata}" merge -j1 --partial @- -o "$sum"
printf '%s\t%s\n' "${1:-all}" "$(base64 -w0 "$sum")"
