// map.cpp -- operator new and delete under a hash map of strings: insert, find
// and erase.
//
// usage: map OPERATIONS KEYS
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/micro/bench.h"

#include <string>
#include <unordered_map>

using Map = std::unordered_map<std::string, unsigned long>;

BENCH_NOINLINE static unsigned long run(Map &map, long operations, long keys,
                                        unsigned *seed)
{
    unsigned long result = 0;

    for (long i = 0; i < operations; i++) {
        const std::string key = "some key that is long enough for the heap " +
                                std::to_string(bench_random(seed) % keys);
        const auto found = map.find(key);
        if (found == map.end()) {
            map.emplace(key, i);
        } else {
            result += found->second;
            if (i % 3 == 0)
                map.erase(found);
        }
    }
    return result;
}

int main(int argc, char **argv)
{
    const long operations = bench_argument(argc, argv, 1, 300000);
    const long keys = bench_argument(argc, argv, 2, 20000);
    unsigned seed = 5;
    Map map;
    unsigned long result = 0;

    BENCH_WARM_UP_FIRST(is_measured)
    {
        if (is_measured)
            bench_begin();
        result = run(map, is_measured ? operations : 2000, keys, &seed);
    }
    bench_end(operations);
    bench_result(result);
    return 0;
}
