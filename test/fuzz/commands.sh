# commands.sh FUZZ-TARGETS TESTS WORK OPTION... -- test/fuzz/commands.c with all seeds, and what
# no target reads alone.
targets=$1 tests=$2 work=$3
shift 3
exec "$targets/commands" "$@" "$work" "$tests"/fuzz/files/* \
    "$tests"/fuzz/seeds/raw/* "$tests"/fuzz/seeds/records/* \
    "$tests"/fuzz/seeds/counters/* "$tests"/fuzz/seeds/unpack/* \
    "$tests"/fuzz/seeds/symcache/* "$tests"/fuzz/seeds/text/* \
    "$tests"/fuzz/seeds/pprof/* "$tests"/fuzz/seeds/heap_text/* \
    "$tests"/fuzz/seeds/heaptrack/* "$tests"/fuzz/seeds/log/* \
    "$tests"/fuzz/seeds/luajit/* "$tests"/fuzz/seeds/mlpd/* \
    "$tests"/fuzz/seeds/mono_log/* "$tests"/fuzz/seeds/objects/* \
    "$tests"/fuzz/seeds/list/* "$tests"/fuzz/seeds/budget/* \
    "$tests"/fuzz/seeds/hint_list/* "$tests"/fuzz/seeds/use_log/* \
    "$tests"/golden/*/*.profdata "$tests"/golden/*/*.raw "$tests"/golden/json-*/*.json
