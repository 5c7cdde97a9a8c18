# lit.cfg.py -- the tests under test/ that are scripts of RUN lines (*.ll, *.c,
# *.cpp, *.test). Started by the Makefile, which passes what was built where:
#   lit --param root=DIR --param build=DIR/build --param llvm_version=22 test
import glob
import os
import shutil
import subprocess
import sys
import lit.formats

config.name = "memprof"
config.suffixes = [".ll", ".c", ".cpp", ".test"]
config.excludes = ["Inputs", "golden", "lint", "fuzz"]
config.test_format = lit.formats.ShTest(True)

root = lit_config.params.get("root", os.path.dirname(os.path.dirname(__file__)))
build = os.path.abspath(
    lit_config.params.get("build", os.path.join(root, "build")))
version = lit_config.params.get("llvm_version", "22")
llvm_build = os.path.join(build, "llvm-" + version)
llvm_bin = "/usr/lib/llvm-%s/bin" % version
resource = os.path.join(llvm_build, "resource")

config.test_source_root = os.path.join(root, "test")
config.test_exec_root = os.path.join(build, "test", "lit-" + version)
# FileCheck and the like may be those of the version that we develop with.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), llvm_bin, os.environ["PATH"],
      "/usr/lib/llvm-22/bin"])
for name in ("MEMPROF_OPTIONS", "MEMPROF_PROFILE_FILE", "MEMPROF_PASS_OPTIONS",
             "DEBUGINFOD_URLS"):
    config.environment.pop(name, None)
config.environment["TEST_NPM_PACKAGES"] = os.path.join(build, "test", "npm", "node_modules")
# Not the user's cache of symbols.
config.environment["XDG_CACHE_HOME"] = os.path.join(build, "test", "cache")

# What a test may require: llvm-N, for each N that is not newer than this version.
config.available_features.update(
    "llvm-%d" % n for n in (16, 19, 22) if n <= int(version))

plugin = os.path.join(llvm_build, "memprof.so")
flags = "-gline-tables-only -fdebug-info-for-profiling " \
        "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer " \
        "-fno-optimize-sibling-calls"
# Before 22 the plugin's options are known to -mllvm only with -load.
load = "-fpass-plugin=" + plugin
if int(version) < 22:
    load = "-Xclang -load -Xclang %s %s" % (plugin, load)
config.substitutions += [
    # The python3 in PATH may be a version manager's script, which runs ten times as long
    # as Python takes to start.
    ("\\bpython3\\b", sys.executable),
    ("-fpass-plugin=%plugin", load),
    # The compiler as users call it: our plugin, our runtime.
    ("%memprof-clangxx", "%s/clang++ %s -resource-dir=%s" % (llvm_bin, load, resource)),
    ("%memprof-clang", "%s/clang %s -resource-dir=%s" % (llvm_bin, load, resource)),
    # Stock clang: LLVM's pass, LLVM's runtime; %ours-rt adds our runtime.
    ("%clangxx", llvm_bin + "/clang++"),
    ("%clang", llvm_bin + "/clang"),
    ("%ours-rt", "-resource-dir=" + resource),
    ("%plugin", plugin),
    ("%debugflags", flags),
    ("%opt", llvm_bin + "/opt"),
    # The first that reads raw files of version 5 and shows indexed files.
    ("%llvm-profdata-v5", "/usr/lib/llvm-%d/bin/llvm-profdata"
        % max(int(version), 22)),
    ("%llvm-profdata", llvm_bin + "/llvm-profdata"),
    ("%memprofdata", os.path.join(build, "bin", "memprofdata")),
    ("%joints", "--llvm-bin %s --llvm-build %s --memprofdata %s" % (
        llvm_bin, llvm_build, os.path.join(build, "bin", "memprofdata"))),
    ("%soak-seconds", lit_config.params.get("soak_seconds", "1200")),
    ("%resource/", resource + "/"),
    ("%resource-dir", subprocess.run(
        [llvm_bin + "/clang", "-print-resource-dir"],
        stdout=subprocess.PIPE).stdout.decode().strip()),
    ("%llvm-version", version),
    ("%root", root),
    ("%build", build),
]

# `make test-long`: what takes minutes. Some of it makes a root of its own.
if lit_config.params.get("long"):
    config.available_features.add("long")
if os.geteuid() == 0:
    config.available_features.add("root")
# A kernel that kills for want of memory on request.
if subprocess.run([sys.executable, os.path.join(
        config.test_source_root, "rt", "Inputs", "oom_kill.py"), "possible"],
        stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("memory-cgroup")
# Namespaces of process ids, as root or as root of a namespace of users.
for unshare in ("unshare", "unshare -Ur"):
    unshare += " --pid --fork --mount-proc"
    if subprocess.run(unshare.split() + ["true"],
                      stderr=subprocess.DEVNULL).returncode == 0:
        config.available_features.add("pid-namespace")
        config.substitutions.append(("%unshare-pid", unshare))
        break
# Sandboxes of system calls: strict ones, and filters.
def has_seccomp():
    import ctypes
    pid = os.fork()
    if pid == 0:
        libc = ctypes.CDLL(None)
        filters = libc.prctl(22, 2, None) == -1  # "null" must be refused
        os._exit(not filters or libc.prctl(39, 0, 0, 0, 0) < 0 or
                 libc.syscall(317, 2, 0, ctypes.byref(ctypes.c_uint(0x80000000))) != 0)
    return os.waitpid(pid, 0)[1] == 0


if has_seccomp():
    config.available_features.add("seccomp")
# prctl(PR_SET_TSC) forbids the time stamp counter; some hypervisors let a program read
# it nevertheless.
def counter_faults():
    import ctypes
    import mmap
    import resource as limits
    pid = os.fork()
    if pid == 0:
        code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE |
                         mmap.PROT_EXEC)
        code.write(b"\x0f\x31\xc3")  # rdtsc; ret
        read = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
        limits.setrlimit(limits.RLIMIT_CORE, (0, 0))
        ctypes.CDLL(None).prctl(26, 2, 0, 0, 0)
        read()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


if counter_faults():
    config.available_features.add("counter-faults")
# landlock_create_ruleset() tells its version.
import ctypes
if ctypes.CDLL(None).syscall(444, None, 0, 1) > 0:
    config.available_features.add("landlock")
# Core files of programs lie in the directory where these run.
with open("/proc/sys/kernel/core_pattern") as pattern:
    if pattern.read(1) not in "|/":
        config.available_features.add("core-files")
if all(shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
       for name in ("slurmctld", "slurmd", "sbatch")):
    config.available_features.add("slurm")
if glob.glob("/usr/lib/*/libtcmalloc_minimal.a"):
    config.available_features.add("static-tcmalloc")
if shutil.which("pahole"):
    config.available_features.add("pahole")
# With the module that drives a shell as a terminal does.
if shutil.which("zsh") and subprocess.run(
        ["zsh", "-f", "-c", "zmodload zsh/zpty"],
        stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("zsh")
