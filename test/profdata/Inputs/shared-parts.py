"""shared-parts.py KIND COUNT BINARY PROFILE: a binary whose debug information makes its
readers go over one part again and again, for COUNT addresses, and a raw profile of them,
without checksums. Of that many units one and the same is the list of abbreviations (KIND
"abbreviations"), the line table ("lines") or the files of one ("files"); or all addresses
are in as many ranges of one unit ("ranges"), or in its line table's sequences
("sequences"), or have one long name, each from another place of it on ("names")."""
import os
import struct
import sys

from raw_tables import column, profile, table

kind, count, binary, raw_file = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
BASE, STEP = 0x1000, 16
END = BASE + STEP * count
BUILD_ID = bytes(range(20))


def uleb(number):
    out = b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def unit(address, size):
    rest = struct.pack("<HIB", 4, 0, 8) + uleb(1) + struct.pack("<QII", address, size, 0)
    return struct.pack("<I", len(rest)) + rest


def set_address(address):
    return b"\0\x09\x02" + struct.pack("<Q", address)


END_SEQUENCE = b"\0\1\1"
COPY = b"\1"


def line_table(program, files):
    head = bytes([1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0])
    head += b"a\0\0\0\0" * files + b"\0"
    rest = struct.pack("<HI", 4, len(head)) + head + program
    return struct.pack("<I", len(rest)) + rest


# A unit with low_pc, high_pc and stmt_list.
abbreviations = bytes([1, 0x11, 0, 0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0, 0])
if kind == "abbreviations":
    abbreviations += b"".join(uleb(2 + i) + b"\x34\0\0\0" for i in range(4 * count))
program = set_address(BASE) + COPY
if kind == "lines":
    program += b"\x0d" * (20 * count)
program += set_address(END) + END_SEQUENCE
if kind == "sequences":
    program = b"".join(set_address(BASE) + COPY + set_address(END + count - i) + END_SEQUENCE
                       for i in range(count))
if kind in ("ranges", "sequences"):
    info = unit(BASE, END - BASE)
else:
    info = b"".join(unit(BASE + STEP * i, STEP) for i in range(count))
sections = {
    ".note.gnu.build-id": struct.pack("<III", 4, 20, 3) + b"GNU\0" + BUILD_ID,
    ".debug_info": info,
    ".debug_abbrev": abbreviations + b"\0",
    ".debug_line": line_table(program, 4 * count if kind == "files" else 1),
}
if kind == "ranges":
    rest = struct.pack("<HIBBI", 2, 0, 8, 0, 0)
    rest += struct.pack("<QQ", 1, END) * count + bytes(16)
    sections[".debug_aranges"] = struct.pack("<I", len(rest)) + rest
if kind == "names":
    sections[".symtab"] = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", 1 + i, 0x12, 0, 1, BASE + STEP * i, STEP) for i in range(count))
    sections[".strtab"] = b"\0" + b"x" * (200 * count) + b"\0"


def elf():
    names = b"\0"
    headers = bytes(64)
    at = 64 + 2 * 56
    body = b""
    for name, data in [*sections.items(), (".shstrtab", None)]:
        name_at = len(names)
        names += name.encode() + b"\0"
        data = names if data is None else data
        is_note = name.startswith(".note")
        kind_of = {".note.gnu.build-id": 7, ".symtab": 2, ".strtab": 3}.get(name, 1)
        # The table of strings is the section behind that of symbols.
        headers += struct.pack("<IIQQQQIIQQ", name_at, kind_of, 2 if is_note else 0,
                               at if is_note else 0, at + len(body), len(data),
                               len(headers) // 64 + 1 if kind_of == 2 else 0, 1, 4,
                               24 if kind_of == 2 else 0)
        body += data + bytes(-len(data) % 8)
    loads = struct.pack("<IIQQQQQQ", 4, 4, at, at, at, 36, 36, 4)
    loads += struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 1 << 30, 1 << 30, 4096)
    number = len(headers) // 64
    return b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, BASE, 64, at + len(body), 0, 64, 56, 2, 64, number,
        number - 1) + loads + body + headers


def raw():
    path = os.path.abspath(binary).encode()
    tables = {
        1: table(1, [column(1, 2), column(2, 1), column(3, 0)]),
        2: table(3, [column(1, 0, [0, len(path), len(path) + 20]),
                     (2, 0xFFFFFFFF, 0, path + BUILD_ID)]),
        3: table(1, [column(1, 1), column(2, 2), column(3, 0)]),
        4: table(1, [column(1, 0), column(2, BASE), column(3, 1 << 30), column(4, BASE)]),
        5: table(count, [column(1, 1), column(2, BASE + 3, range(0, STEP * count, STEP))]),
        6: table(count, [column(1, 0), column(2, 0, range(count))]),
        7: table(count, [column(1, 1), column(2, 8), column(100000, 1, range(count))]),
    }
    return profile(tables)


with open(binary, "wb") as out:
    out.write(elf())
with open(raw_file, "wb") as out:
    out.write(raw())
