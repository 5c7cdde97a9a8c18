"""pprof_values.py DIR -- profiles of pprof with the types of values and the units that
other tools write, one sample each or one of each value in a list: DIR/NAME.pb."""
import os
import sys

VALUES = {
    "mebibytes": [("inuse_objects", "count", 5), ("inuse_space", "MiB", 2)],
    "megabytes": [("inuse_objects", "count", 5), ("inuse_space", "megabytes", 2)],
    "kilobyte": [("inuse_objects", "count", 5), ("inuse_space", "Kilobyte", 2)],
    "GB": [("inuse_objects", "count", 5), ("inuse_space", "GB", 2)],
    "B": [("inuse_objects", "count", 5), ("inuse_space", "B", 2)],
    "parsecs": [("inuse_objects", "count", 5), ("inuse_space", "parsecs", 2)],
    "live": [("inuse_space", "bytes", 4096)],
    "space": [("space", "bytes", 4096)],
    "bytes": [("alloc_space", "bytes", 4096)],
    "both-bytes": [("alloc_space", "bytes", 122), ("inuse_space", "bytes", 111)],
    "blocks": [("alloc_objects", "count", 12)],
    "live-blocks": [("inuse_objects", "count", 12)],
    "datadog": [("alloc-samples", "count", 12), ("alloc-space", "bytes", 4096),
                ("heap-space", "bytes", 100)],
    "php": [("alloc-samples", "count", 12), ("alloc-size", "bytes", 4096)],
    "dotnet": [("alloc_samples", "count", 12), ("alloc_size", "bytes", 4096)],
    "perfetto": [("Total malloc count", "count", 12), ("Total malloc size", "bytes", 4096),
                 ("Unreleased malloc count", "count", 3),
                 ("Unreleased malloc size", "bytes", 100)],
    "one-word": [("alloc", "bytes", 4096), ("live", "count", 3)],
    "no-heap": [("file-io-read-size", "bytes", 9), ("gpu-alloc-samples", "count", 9),
                ("alloc-samples-unscaled", "count", 9), ("heap", "bytes", 9)],
    "java": [("alloc_in_new_tlab_objects", "count", 3),
             ("alloc_in_new_tlab_bytes", "bytes", 300),
             ("alloc_outside_tlab_objects", "count", 2),
             ("alloc_outside_tlab_bytes", "bytes", 20000)],
    "java-samples": [("alloc_sample_objects", "count", 5),
                     ("alloc_sample_bytes", "bytes", 20300)],
    "malloc": [("malloc_objects", "count", 5), ("malloc_bytes", "bytes", 20300)],
    "lifetimes": [("allocated_objects", "count", [3, 0, 0]),
                  ("allocated_space", "bytes", [300, 0, 0]),
                  ("deallocated_objects", "count", [0, 3, 0]),
                  ("deallocated_space", "bytes", [0, 300, 0]),
                  ("censored_allocated_objects", "count", [0, 0, 2]),
                  ("censored_allocated_space", "bytes", [0, 0, 20000])],
    "jfr": [("allocations", "bytes", 4096)],
    "native": [("malloc", "bytes", 4096)],
    "jfr-blocks": [("allocations", "count", 12)],
    "julia": [("allocs", "count", 12), ("size", "bytes", 4096)],
    "example": [("allocations", "count", 12), ("space", "bytes", 4096)],
    "never": [("alloc_objects", "count", 4), ("alloc_space", "kB", 8),
              ("accesses", "count", 0), ("lifetime", "nanoseconds", 0)],
    "parts": [("alloc_objects", "count", 4), ("alloc_space", "bytes", 4096),
              ("peak", "bytes", 2048), ("leaked", "bytes", 1024), ("reads", "count", 3)],
    "reallocs": [("alloc_objects", "count", 4), ("alloc_space", "bytes", 4096)],
    "uncounted": [("inuse_objects", "count", [0, 5]), ("inuse_space", "bytes", [500, 50])],
    "window": [("alloc_objects", "count", [1, 0]), ("alloc_space", "bytes", [10, 0]),
               ("inuse_objects", "count", [5, 1]), ("inuse_space", "bytes", [500, 50])],
    "no-bytes": [("inuse_objects", "count", 5), ("inuse_space", "bytes", 0)],
    "split": [("alloc_objects", "count", 9), ("inuse_space", "bytes", 4096)],
    "units": [("alloc_objects", "objects", 4), ("alloc_space", "kB", 8),
              ("accesses", "accesses", 7), ("lifetime", "milliseconds", 8),
              ("reads", "count", 3), ("writes", "", 4),
              ("read-bytes", "kB", 1), ("write-bytes", "KiB", 2),
              ("leaked", "MB", 1), ("leaked-blocks", "count", 1)],
    "thousands": [("alloc_objects", "count", 4), ("alloc_space", "kB", 8),
                  ("accesses", "thousands", 7)],
    "fortnights": [("alloc_objects", "count", 4), ("alloc_space", "kB", 8)],
}
LABELS = {
    "reallocs": [("reallocs", 2, "count"), ("type", "struct node", "")],
    "units": [("bytes", 2, "kilobytes"), ("min_lifetime", 1, "\u03bcs"),
              ("max_lifetime", 5, "Milliseconds")],
    "fortnights": [("max_lifetime", 5, "fortnights")],
}


def number(n):
    out = b""
    while n >= 128:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(tag, value):
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    return number(tag << 3 | 2) + number(len(value)) + value


def profile(types, labels):
    strings = [""]

    def string(text):
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    string("f"), string("main")
    out = b"".join(field(1, field(1, string(name)) + field(2, string(unit)))
                   for name, unit, _ in types)
    for i, values in enumerate(zip(*(v if isinstance(v, list) else [v] for _, _, v in types))):
        sample = field(1, number(1 + i) + number(2))
        sample += field(2, b"".join(map(number, values)))
        for key, value, unit in labels:
            sample += field(3, field(1, string(key)) + (
                field(2, string(value)) if isinstance(value, str) else field(3, value))
                + field(4, string(unit)))
        out += field(2, sample)
    for i in (1, 2, 3, 4):
        out += field(4, field(1, i) + field(4, field(1, i) + field(2, 7)))
        out += field(5, field(1, i) + field(2, i))
    return out + b"".join(field(6, s.encode()) for s in strings)


for name, types in VALUES.items():
    with open(os.path.join(sys.argv[1], name + ".pb"), "wb") as f:
        f.write(profile(types, LABELS.get(name, ())))

# A location whose mapping is not in the file, called by a function without a name.
strings = "", "alloc_objects", "count", "/src/nameless.c"
with open(os.path.join(sys.argv[1], "places.pb"), "wb") as f:
    f.write(field(1, field(1, 1) + field(2, 2))
            + field(2, field(1, b"\1\2") + field(2, b"\5"))
            + field(4, field(1, 1) + field(2, 7) + field(3, 0x123))
            + field(4, field(1, 2) + field(4, field(1, 1) + field(2, 12)))
            + field(5, field(1, 1) + field(4, 3))
            + b"".join(field(6, s.encode()) for s in strings))
