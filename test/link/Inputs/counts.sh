#!/bin/sh
# counts.sh -- runs a program; for every size between 10000 and 19999: size, blocks
# of that size, accesses to them. The rest of its output goes to stderr.
out=$(MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stdout \
    MEMPROF_PROFILE_FILE='' "$@") || { echo "status $?"; exit 1; }
printf '%s\n' "$out" | awk -F/ '
    /^MIB:/ && $4 >= 10000 && $4 < 20000 {
        blocks[$4] += $2; accesses[$4] += $2 * $6
    }
    END { for (s in blocks) print s, blocks[s], accesses[s] }' | sort
