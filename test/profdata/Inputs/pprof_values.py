"""pprof_values.py DIR -- profiles of pprof with the types of values and the units that
other tools write, one sample each: DIR/NAME.pb."""
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
    "blocks": [("alloc_objects", "count", 12)],
    "live-blocks": [("inuse_objects", "count", 12)],
    "datadog": [("alloc-samples", "count", 12), ("alloc-space", "bytes", 4096),
                ("heap-space", "bytes", 100)],
    "java": [("alloc_in_new_tlab_objects", "count", 3),
             ("alloc_in_new_tlab_bytes", "bytes", 300),
             ("alloc_outside_tlab_objects", "count", 2),
             ("alloc_outside_tlab_bytes", "bytes", 20000)],
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


def profile(types):
    strings = ["", "f", "main"]
    out = b""
    for name, unit, _ in types:
        for text in (name, unit):
            if text not in strings:
                strings.append(text)
        out += field(1, field(1, strings.index(name)) + field(2, strings.index(unit)))
    values = b"".join(number(value) for _, _, value in types)
    out += field(2, field(1, number(1) + number(2)) + field(2, values))
    for i in (1, 2):
        out += field(4, field(1, i) + field(4, field(1, i) + field(2, 7)))
        out += field(5, field(1, i) + field(2, i))
    return out + b"".join(field(6, s.encode()) for s in strings)


for name, types in VALUES.items():
    with open(os.path.join(sys.argv[1], name + ".pb"), "wb") as f:
        f.write(profile(types))
