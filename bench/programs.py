"""programs.py -- the real programs: sources, compilation, inputs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import random
import re

HERE = pathlib.Path(__file__).parent / "programs"


XML_PARTS = """xmllint SAX entities encoding error parserInternals parser tree hash
list xmlIO xmlmemory uri valid xlink HTMLparser HTMLtree debugXML xpath xpointer
xinclude nanohttp nanoftp catalog globals threads c14n xmlstring buf xmlregexp
xmlschemas xmlschemastypes xmlunicode xmlreader relaxng dict SAX2 xmlwriter legacy
chvalid pattern xmlsave xmlmodule schematron xzlib"""


class Program:
    """name      name of the row
    binary    name of the executable; rows may share one
    sources   paths
    flags     of every compilation; libs: of the link
    arguments of the run, texts or Input; {work} is an empty directory for the run
    normalize regular expression: text that is removed from the output before comparing
    files     that the run creates in {work}; they are compared too
    status    expected exit status
    training  arguments of the run whose profile is used, if others (bench/use)
    held_out  the profiler is not tuned with this program; reported separately"""

    def __init__(self, name, binary, sources, arguments, flags=(), libs=(),
                 cxx=False, normalize=None, files=(), status=0,
                 held_out=False, training=None):
        self.status, self.held_out = status, held_out
        self.training = self if training is None else Program(
            name, binary, sources, training)
        self.name, self.binary, self.sources = name, binary, sources
        self.given, self.flags, self.libs = arguments, flags, libs
        self.cxx, self.normalize, self.files = cxx, normalize, files

    @property
    def arguments(self):
        """Makes the inputs, which are needed only for a run."""
        return [str(a) for a in self.given]

    def normal(self, output):
        if self.normalize:
            return re.sub(self.normalize, b"", output, flags=re.M)
        return output


class Input:
    """An input file of a run. make(file) writes it on first use. An empty file is not
    kept, because its sources are missing."""

    def __init__(self, path, make):
        self.path, self.make = path, make

    def __str__(self):
        if not self.path.exists() or self.path.stat().st_size == 0:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            partial = self.path.with_name(self.path.name + ".partial")
            with open(partial, "wb") as file:
                self.make(file)
            if partial.stat().st_size != 0:
                partial.rename(self.path)
            else:
                partial.unlink()
        return str(self.path)


def orders(count):
    """Pseudo-random orders, the same in each run."""
    numbers = random.Random(11)
    tags = ["new", "late", "gift", "bulk", "export", "paid"]
    return [{
        "id": i,
        "customer": f"customer {numbers.randrange(900)}",
        "tags": numbers.sample(tags, numbers.randrange(4)),
        "lines": [{"item": f"item {numbers.randrange(5000)}",
                   "price": numbers.randrange(100, 99999) / 100,
                   "count": numbers.randrange(1, 9)}
                  for _ in range(numbers.randrange(1, 6))],
    } for i in range(count)]


def make_orders(file, count=40000):
    """Input of report.jq and json.cpp."""
    file.write(json.dumps(orders(count)).encode())


def make_yaml(file, count=12000):
    """Input of yaml.cpp. It is JSON, which is valid YAML."""
    file.write(json.dumps(orders(count), indent=1).encode())


def make_xml(file, count=75000):
    """Input of xmllint."""
    file.write(b"<orders>\n")
    for order in orders(count):
        lines = "".join(f'<line price="{line["price"]}" count="{line["count"]}">'
                        f'{line["item"]}</line>' for line in order["lines"])
        file.write(f'<order id="{order["id"]}"><customer>{order["customer"]}'
                   f'</customer>{lines}</order>\n'.encode())
    file.write(b"</orders>\n")


def small(path, make, count):
    """An input like another one, with fewer orders or clauses."""
    return Input(path.with_stem(path.stem + "-small"), lambda file: make(file, count))


def scaled(build, name, *replaced):
    """The script `name`, with fewer rounds: pairs of texts and what replaces them."""
    def make(file):
        text = (HERE / name).read_text()
        for old, new in replaced:
            text = text.replace(old, new)
        file.write(text.encode())
    return Input(build / "bench/data" / f"small-{name}", make)


def make_clauses(file, count=980):
    """Input of minisat: clauses of three out of 230 variables; unsatisfiable."""
    numbers, variables = random.Random(3), count * 230 // 980
    file.write(b"p cnf %d %d\n" % (variables, count))
    for _ in range(count):
        clause = [v * numbers.choice((1, -1))
                  for v in numbers.sample(range(1, variables + 1), 3)]
        file.write(("%d %d %d 0\n" % tuple(clause)).encode())


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
                   training=["--size", "10", "--testset", "main"],
                   flags=("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION",
                          f"-I{amalgamation.parent}"), libs=["-lm"],
                   normalize=rb" *[0-9.]+s$")


def interpreters(build):
    """Interpreters, which collect objects or walk trees."""
    src = build / "bench" / "src"
    gawk_sources = sorted((src / "gawk").glob("**/*.c"))
    corpus = Input(build / "bench/data/words", make_corpus(
        gawk_sources + sorted((src / "libxml2").glob("*.c"))))
    few_words = Input(build / "bench/data/words-small", make_corpus(gawk_sources[:12]))
    few_objects = scaled(build, "objects.js", ("rounds = 10", "rounds = 2"))
    gawk, jim, duktape = src / "gawk", src / "jimtcl", src / "duktape"
    jim_parts = ("-aio -array -clock -eventloop -exec -file -format -history "
                 "-interactive -interp -load -namespace -pack -package -posix "
                 "-readdir -regexp -signal -subcmd -syslog -tty").split()
    bc = src / "bc"
    return [
        Program("gawk", "gawk",
                sorted(gawk.glob("*.c")) +
                [gawk / f"support/{n}.c" for n in
                 ("dfa", "getopt", "getopt1", "localeinfo", "random", "regex")],
                ["-f", str(HERE / "words.awk"), corpus],
                ("-DHAVE_CONFIG_H", "-DGAWK", '-DDEFPATH="."', '-DDEFLIBPATH="."',
                 '-DSHLIBEXT="so"', '-DLOCALEDIR=""', f"-I{gawk}",
                 f"-I{gawk}/support"), ["-lm", "-ldl"],
                training=["-f", str(HERE / "words.awk"), few_words]),
        Program("jimtcl", "jimsh",
                [jim / f"{n}.c" for n in
                 ("jim", "jimsh", "jimregexp", "jimiocompat", "utf8", "linenoise",
                  *("jim" + part for part in jim_parts))] +
                sorted(jim.glob("_*.c")),
                [str(HERE / "shapes.tcl"), "24"], (f"-I{jim}",), ["-lm", "-ldl"],
                held_out=True, training=[str(HERE / "shapes.tcl"), "8"]),
        Program("mujs", "mujs", [src / "mujs/one.c", src / "mujs/main.c"],
                [str(HERE / "objects.js")], (f"-I{src}/mujs",), ["-lm"],
                training=[few_objects]),
        Program("duktape", "duk",
                [duktape / "src/duktape.c",
                 duktape / "examples/cmdline/duk_cmdline.c",
                 duktape / "extras/print-alert/duk_print_alert.c"],
                [str(HERE / "objects.js")],
                ("-DDUK_CMDLINE_PRINTALERT_SUPPORT", f"-I{duktape}/src",
                 f"-I{duktape}/extras/print-alert"), ["-lm"],
                training=[few_objects]),
        Program("bc", "bc",
                [bc / f"bc/{n}.c" for n in
                 ("main", "bc", "scan", "execute", "load", "storage", "util",
                  "global", "warranty")] +
                [bc / f"lib/{n}.c" for n in ("getopt", "getopt1", "number")],
                [str(HERE / "digits.bc")],
                ("-DHAVE_CONFIG_H", f"-I{bc}", f"-I{bc}/h", f"-I{bc}/bc"),
                held_out=True,
                training=[scaled(build, "digits.bc", ("60000", "6000"), ("900", "300"),
                                 ("b(26)", "b(18)"))]),
    ]


def parsers(build):
    """Parsers, and a SAT solver."""
    src, data = build / "bench" / "src", build / "bench" / "data"
    xml, minisat = src / "libxml2", src / "minisat2"
    jsoncpp, yaml = src / "libjsoncpp", src / "yaml-cpp"
    return [
        Program("xmllint", "xmllint",
                [xml / f"{n}.c" for n in XML_PARTS.split()],
                ["--format", "--output", "{work}/out.xml"] +
                3 * [Input(data / "orders.xml", make_xml)],
                (f"-I{xml}", f"-I{xml}/include"), ["-lm"], files=("out.xml",),
                training=["--format", "--output", "{work}/out.xml",
                          small(data / "orders.xml", make_xml, 9000)]),
        Program("jsoncpp", "json",
                [HERE / "json.cpp", *sorted(
                    (jsoncpp / "src/lib_json").glob("*.cpp"))],
                [Input(data / "orders.json", make_orders), "2"],
                (f"-I{jsoncpp}/include",), cxx=True,
                training=[small(data / "orders.json", make_orders, 5000), "2"]),
        Program("yaml-cpp", "yaml",
                [HERE / "yaml.cpp", *sorted((yaml / "src").glob("*.cpp"))],
                [Input(data / "orders.yaml", make_yaml), "1"],
                (f"-I{yaml}/include",), cxx=True, held_out=True,
                training=[small(data / "orders.yaml", make_yaml, 2000), "1"]),
        Program("minisat", "minisat",
                [minisat / f"minisat/{n}.cc" for n in
                 ("core/Main", "core/Solver", "utils/Options", "utils/System")],
                ["-verb=0", Input(data / "clauses.cnf", make_clauses)],
                (f"-I{minisat}", "-D__STDC_LIMIT_MACROS",
                 "-D__STDC_FORMAT_MACROS", "-Wno-reserved-user-defined-literal"),
                ["-lz"], cxx=True, status=20,
                training=["-verb=0", small(data / "clauses.cnf", make_clauses, 700)]),
    ]


def programs(build):
    """All programs, in the order of the table. build: the build directory."""
    return first_programs(build) + interpreters(build) + parsers(build)


def first_programs(build):
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
                lua_flags, ["-lm", "-ldl"],
                training=[str(HERE / "trees.lua"), "14"]),
        Program("lua5.4 n-body", "lua", lua, [str(HERE / "nbody.lua"), "500000"],
                lua_flags, ["-lm", "-ldl"],
                training=[str(HERE / "nbody.lua"), "50000"]),
        Program("zstd", "zstd", zstd_sources,
                ["-q", "-f", "--single-thread", "-13",
                 Input(data / "corpus", make_corpus(
                     [amalgamation, *leveldb_sources, *lua, *zstd_sources])),
                 "-o", "{work}/out.zst"],
                ("-DZSTD_DISABLE_ASM", "-DZSTD_NOBENCH", "-DZSTD_NODICT",
                 "-DZSTD_LEGACY_SUPPORT=0", f"-I{zstd}/lib",
                 f"-I{zstd}/lib/common"), files=("out.zst",)),
        Program("jq", "jq", jq_sources,
                ["-c", "-f", str(HERE / "report.jq"),
                 Input(data / "orders.json", make_orders)],
                ("-D_GNU_SOURCE", "-DIEEE_8087", "-DHAVE_MEMMEM",
                 "-DHAVE_ALLOCA_H", "-DHAVE_ISATTY", "-DHAVE_TIMEGM",
                 "-DHAVE_STRPTIME", "-DHAVE_STRFTIME", "-DHAVE_GMTIME_R",
                 "-DHAVE_LOCALTIME_R", "-DHAVE_TM_TM_GMT_OFF",
                 "-DHAVE_PTHREAD_KEY_CREATE", "-DHAVE_PTHREAD_ONCE",
                 "-DHAVE_ATEXIT", f"-I{jq}", f"-I{jq.parent}"),
                ["-lm", "-lpthread"],
                training=["-c", "-f", str(HERE / "report.jq"),
                          small(data / "orders.json", make_orders, 5000)]),
        Program("leveldb db_bench", "db_bench", leveldb_sources,
                ["--benchmarks=fillseq,fillrandom,overwrite,readrandom,"
                 "readseq,compact,readrandom", "--num=150000",
                 "--db={work}/db"],
                ("-std=c++17", "-DLEVELDB_PLATFORM_POSIX=1",
                 "-DHAVE_FDATASYNC=1", "-DHAVE_FULLFSYNC=0",
                 "-DHAVE_O_CLOEXEC=1", "-DHAVE_CRC32C=0", "-DHAVE_SNAPPY=0",
                 f"-I{leveldb}", f"-I{leveldb}/include",
                 f"-I{leveldb}/stub"), ["-lpthread"], cxx=True,
                training=["--benchmarks=fillseq,fillrandom,overwrite,readrandom,"
                          "readseq,compact,readrandom", "--num=20000",
                          "--db={work}/db"],
                # Removes everything but names of phases and numbers of found keys,
                # which do not depend on time.
                normalize=rb"^(Date|CPU|CPUCache|LevelDB):.*$|:\s+[0-9.]+ "
                          rb"micros/op;| *[0-9.]+ MB/s|\(snappy.*|^WARNING.*$|"
                          rb"[.]{3} .*ops\s*\r?"),
    ]
