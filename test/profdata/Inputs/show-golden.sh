#!/bin/sh
# show-golden.sh -- the text of every view of fixed profiles, for a golden file.
#
# usage: show-golden.sh MEMPROFDATA INPUTS
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
memprofdata=$1
cd "$2"

view() {
    echo "== show $*"
    env COLUMNS=80 TERM=dumb "$memprofdata" show --color=never "$@" 2>&1
}

for file in views.json rw.json heat.json; do
    view "$file"
    view --top=2 --full-stacks "$file"
    for by in stack function line file binary type; do
        view --by=$by "$file" || echo "refused"
    done
    view --tree "$file"
    view --tree --threshold=0 --details --full-stacks "$file"
    view --callers=. --threshold=20 "$file"
    view --callees=main "$file"
    view --list=main "$file"
    view --histogram "$file"
    view --at=exit "$file"
    view --at=peak "$file"
    view --temporary "$file"
    view --sort=accesses "$file"
    view --filter='blocks>1|bytes>=1K' "$file"
    view --function=main "$file"
    view --exclude-function=main "$file"
done
view --histogram --element=16 heat.json
view --sort=write-bytes --filter='read-bytes=0|write-bytes=0' rw.json || echo "refused"
