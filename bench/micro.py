"""micro.py -- the rows that measure small programs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


class Micro:
    """name        of the row
    source      file in bench/micro
    arguments   of a timed run
    unit        ratio:   CPU time over native
                added:   nanoseconds added to each operation
                part:    nanoseconds added, as a part of native's
                start:   milliseconds added from start to exit
                scaling: the program's own scaling over native's
                peak:    peak memory in MiB, and the raw file's size
                context: bytes of peak memory added for each of `contexts`
    target      ("<=", number): limit of the row's figure; ("llvm", n): at most LLVM's
                figure / n; None: no target
    steps       (arguments for counting instructions, operations in such a run); few
                operations, because a counted instruction takes microseconds
    settings    options of the runtime
    """

    def __init__(self, name, source, arguments, unit, target, steps=None,
                 contexts=None, settings=""):
        self.contexts, self.settings = contexts, settings
        self.name, self.source, self.arguments = name, source, arguments
        self.unit, self.target, self.steps = unit, target, steps


MICROS = [
    Micro("array sweep", "sweep.c", [], "ratio", ("<=", 1.15),
          ("1 4096", 4096)),
    Micro("struct updates", "structs.c", [], "ratio", ("<=", 1.3),
          ("1 1000", 1000)),
    Micro("pointer chase", "chase.c", [], "ratio", ("<=", 1.05),
          ("2000 1000", 2000)),
    Micro("malloc/free pair, depth 5", "pair.c", ["1000000", "5"], "added",
          ("<=", 28), ("64 5", 64)),
    Micro("malloc/free pair, depth 5, sampled", "pair.c", ["1000000", "5"], "added",
          ("<=", 3), settings="sample=524288"),
    Micro("malloc/free pair, depth 20", "pair.c", ["1000000", "20"], "added",
          None, ("64 20", 64)),
    Micro("malloc/free pair, 64 call paths of depth 20", "paths.c", [], "added",
          ("<=", 28), ("64", 64)),
    Micro("pair among 10,000 live blocks", "queue.c", [], "added", ("<=", 45),
          ("64 100", 64)),
    Micro("hash map of strings, C++", "map.cpp", [], "ratio", None,
          ("64 100", 64)),
    Micro("1 MiB untouched", "large.c", ["1000", "0"], "added", ("llvm", 50),
          ("1 0", 1)),
    Micro("1 MiB, a byte per page", "large.c", ["1000", "1"], "added",
          ("llvm", 10), ("1 1", 1)),
    Micro("1 MiB fully written", "large.c", ["1000", "2"], "part",
          ("<=", 0.1)),
    Micro("1 MiB, memset", "large.c", ["1000", "3"], "part", None),
    Micro("empty program", "empty.c", [], "start", ("<=", 2.0)),
    Micro("two threads", "threads.c", [], "scaling", (">=", 0.95)),
    Micro("two threads, one call stack", "threads.c", ["100000", "1"], "scaling",
          (">=", 0.9)),
    Micro("131,072 contexts, depth 18", "tree.c", [], "peak", None, ("6", 64)),
    Micro("own memory, 228,100 contexts of a search", "search.c", [], "context",
          None, contexts=228100),
]
