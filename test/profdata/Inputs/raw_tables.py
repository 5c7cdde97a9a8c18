"""raw_tables.py: raw profiles of ours for tests, table by table, without checksums."""
import struct


def column(tag, base, values=None):
    """All rows alike, or 4 bytes each."""
    data = b"" if values is None else struct.pack("<%dI" % len(values), *values)
    return tag, 0 if values is None else 4, base, data


def table(rows, columns):
    """Of columns (tag, width in bytes, base, data)."""
    head = struct.pack("<QII", rows, len(columns), 0)
    at = len(head) + 32 * len(columns)
    data = b""
    for tag, width, base, values in columns:
        head += struct.pack("<IIQQQ", tag, width, base, at + len(data), len(values))
        data += values + bytes(-len(values) % 8)
    return head + data


def profile(sections, version=1):
    """The file; sections by number."""
    at = 32 + 40 * len(sections)
    entries = data = b""
    for number, section in sections.items():
        entries += struct.pack("<IIQQQQ", number, 0, at + len(data), len(section), len(section), 0)
        data += section
    return struct.pack("<QIIQQ", 0x0A0D776172706D8D, version, len(sections), at + len(data), 0) + \
        entries + data
