#!/bin/sh
# reduce.sh -- the reducer, and the combiner, for map.sh. Reads lines "KEY<tab>PROFILE";
# writes such a line for each key, with the sum of its profiles.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
while IFS=$(printf '\t') read -r key profile; do
    printf %s "$profile" | base64 -d >> "$work/$key"
done
for stream in "$work"/*; do
    [ -e "$stream" ] || exit 0 # more reducers than keys
    "${MEMPROFDATA:-memprofdata}" merge -j1 --partial - -o "$work/sum" < "$stream"
    printf '%s\t%s\n' "${stream##*/}" "$(base64 -w0 "$work/sum")"
    rm "$work/sum"
done
