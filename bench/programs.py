"""programs.py -- the real programs: sources, how to compile them, what they run.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import random
import re

HERE = pathlib.Path(__file__).parent / "programs"


class Program:
    """name      of the row
    binary    name of the executable; rows may share one
    sources   paths
    flags     of every compilation; libs of the link
    arguments of the run; {work} is an empty directory for the run
    normalize regular expression: what is cut out of the output before comparing
    files     that the run makes in {work}, compared too"""

    def __init__(self, name, binary, sources, arguments, flags=(), libs=(),
                 cxx=False, normalize=None, files=()):
        self.name, self.binary, self.sources = name, binary, sources
        self.arguments, self.flags, self.libs = arguments, flags, libs
        self.cxx, self.normalize, self.files = cxx, normalize, files

    def normal(self, output):
        if self.normalize:
            return re.sub(self.normalize, b"", output, flags=re.M)
        return output


def write_once(path, make):
    """The file, made by make(file) where there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        with open(partial, "wb") as file:
            make(file)
        partial.rename(path)
    return str(path)


def make_orders(file):
    """Orders for report.jq, the same each time."""
    numbers = random.Random(11)
    tags = ["new", "late", "gift", "bulk", "export", "paid"]
    orders = [{
        "id": i,
        "customer": f"customer {numbers.randrange(900)}",
        "tags": numbers.sample(tags, numbers.randrange(4)),
        "lines": [{"item": f"item {numbers.randrange(5000)}",
                   "price": numbers.randrange(100, 99999) / 100,
                   "count": numbers.randrange(1, 9)}
                  for _ in range(numbers.randrange(1, 6))],
    } for i in range(40000)]
    file.write(json.dumps(orders).encode())


def make_corpus(sources):
    def make(file):
        for source in sources:
            file.write(pathlib.Path(source).read_bytes())
    return make


def sqlite3(build):
    amalgamation = build / "world/sqlite3/bld/sqlite3.c"
    speedtest = build / "world/sqlite3/test/speedtest1.c"
    return Program("sqlite3 speedtest1", "speedtest1",
                   [amalgamation, speedtest],
                   ["--size", "60", "--testset", "main"],
                   ("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION",
                    f"-I{amalgamation.parent}"), ["-lm"],
                   normalize=rb" *[0-9.]+s$")


def programs(build):
    """All programs, in the order of the table. build: the build directory."""
    world, src = build / "world", build / "bench" / "src"
    data = build / "bench" / "data"
    lua = sorted(p for p in (world / "lua5.4/src").glob("*.c")
                 if p.name != "luac.c")
    lua_flags = ("-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3")
    zstd = src / "zstd"
    zstd_sources = sorted(
        p for d in ("common", "compress", "decompress")
        for p in (zstd / "lib" / d).glob("*.c")) + [
            zstd / "programs" / f"{n}.c"
            for n in ("zstdcli", "zstdcli_trace", "util", "timefn", "fileio",
                      "fileio_asyncio")]
    jq = src / "jq" / "src"
    jq_sources = sorted(p for p in jq.glob("*.c")
                        if p.name != "inject_errors.c")
    leveldb = src / "leveldb"
    leveldb_sources = sorted(
        p for d in ("db", "table", "util") for p in (leveldb / d).glob("*.cc")
        if not re.search(r"_test|leveldbutil|env_windows", p.name)) + [
            leveldb / "helpers/memenv/memenv.cc",
            leveldb / "benchmarks/db_bench.cc"]
    amalgamation = world / "sqlite3/bld/sqlite3.c"
    return [
        sqlite3(build),
        Program("lua5.4 trees", "lua", lua, [str(HERE / "trees.lua"), "18"],
                lua_flags, ["-lm", "-ldl"]),
        Program("lua5.4 n-body", "lua", lua, [str(HERE / "nbody.lua"), "500000"],
                lua_flags, ["-lm", "-ldl"]),
        Program("zstd", "zstd", zstd_sources,
                ["-q", "-f", "--single-thread", "-13",
                 write_once(data / "corpus", make_corpus(
                     [amalgamation, *leveldb_sources, *lua, *zstd_sources])),
                 "-o", "{work}/out.zst"],
                ("-DZSTD_DISABLE_ASM", "-DZSTD_NOBENCH", "-DZSTD_NODICT",
                 "-DZSTD_LEGACY_SUPPORT=0", f"-I{zstd}/lib",
                 f"-I{zstd}/lib/common"), files=("out.zst",)),
        Program("jq", "jq", jq_sources,
                ["-c", "-f", str(HERE / "report.jq"),
                 write_once(data / "orders.json", make_orders)],
                ("-D_GNU_SOURCE", "-DIEEE_8087", "-DHAVE_MEMMEM",
                 "-DHAVE_ALLOCA_H", "-DHAVE_ISATTY", "-DHAVE_TIMEGM",
                 "-DHAVE_STRPTIME", "-DHAVE_STRFTIME", "-DHAVE_GMTIME_R",
                 "-DHAVE_LOCALTIME_R", "-DHAVE_TM_TM_GMT_OFF",
                 "-DHAVE_PTHREAD_KEY_CREATE", "-DHAVE_PTHREAD_ONCE",
                 "-DHAVE_ATEXIT", f"-I{jq}", f"-I{jq.parent}"),
                ["-lm", "-lpthread"]),
        Program("leveldb db_bench", "db_bench", leveldb_sources,
                ["--benchmarks=fillseq,fillrandom,overwrite,readrandom,"
                 "readseq,compact,readrandom", "--num=150000",
                 "--db={work}/db"],
                ("-std=c++17", "-DLEVELDB_PLATFORM_POSIX=1",
                 "-DHAVE_FDATASYNC=1", "-DHAVE_FULLFSYNC=0",
                 "-DHAVE_O_CLOEXEC=1", "-DHAVE_CRC32C=0", "-DHAVE_SNAPPY=0",
                 f"-I{leveldb}", f"-I{leveldb}/include",
                 f"-I{leveldb}/stub"), ["-lpthread"], cxx=True,
                # All but names of phases and how many keys were found; which
                # keys overlap does not depend on time.
                normalize=rb"^(Date|CPU|CPUCache|LevelDB):.*$|:\s+[0-9.]+ "
                          rb"micros/op;| *[0-9.]+ MB/s|\(snappy.*|^WARNING.*$|"
                          rb"[.]{3} .*ops\s*\r?"),
    ]
