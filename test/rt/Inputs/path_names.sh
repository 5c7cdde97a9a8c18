# path_names.sh DIR -- runs DIR/prog and prints the cases in which its profile has
# another name than expected.
cd "$1" || exit 1
umask 0
failed=0

# expect NAME [ENVIRONMENT...]: the run leaves exactly this new file, PID in NAME
# being its process id.
expect() {
    name=$1
    prog=$2
    shift 2
    find . -type f | sort > before
    pid=$(env "$@" "./$prog" 2>&1 >/dev/null) || failed=1
    want=./$(echo "$name" | sed "s/PID/$pid/g")
    got=$(find . -type f | sort | comm -13 before - | grep -v '^./before$')
    if [ "$got" != "$want" ]; then
        echo "$*: wrote '$got', not '$want'"
        failed=1
    elif [ "$(stat -c %a "$want")" != 640 ]; then
        echo "$want has mode $(stat -c %a "$want")"
        failed=1
    fi
}

expect memprof.profraw.PID.raw prog
expect memprof.profraw.PID prog MEMPROF_OPTIONS=raw_format=llvm
expect made/by/clang/memprof.profraw.PID.raw prog.dir
expect new/dir/x.PID.raw prog MEMPROF_OPTIONS=log_path=new/dir/x
expect x.PID prog MEMPROF_OPTIONS=log_path=x:raw_format=llvm
expect x.PID prog MEMPROF_OPTIONS=log_path=x:print_text=1
expect x.prog.PID.raw prog MEMPROF_OPTIONS=log_path=x:log_exe_name=1
expect x.prog.PID prog MEMPROF_OPTIONS=log_path=x:log_exe_name=1:raw_format=llvm
expect x.PID.end.raw prog MEMPROF_OPTIONS=log_path=x:log_suffix=.end
expect x.PID.end prog MEMPROF_OPTIONS=log_path=x:log_suffix=.end:raw_format=llvm
expect p-PID-%-%q prog MEMPROF_PROFILE_FILE=p-%p-%%-%q
expect p-PID.raw prog MEMPROF_PROFILE_FILE=p-%p.raw MEMPROF_OPTIONS=log_path=x
expect tmp/p prog MEMPROF_PROFILE_FILE=%t/p TMPDIR=tmp
expect "$(cat /proc/sys/kernel/hostname).p" prog MEMPROF_PROFILE_FILE=%h.p
# A finished file is never overwritten.
expect fixed.raw prog MEMPROF_PROFILE_FILE=fixed.raw
expect fixed.1.raw prog MEMPROF_PROFILE_FILE=fixed.raw
expect fixed.2.raw prog MEMPROF_PROFILE_FILE=fixed.raw
expect fixed prog MEMPROF_PROFILE_FILE=fixed MEMPROF_OPTIONS=raw_format=llvm
expect fixed.1 prog MEMPROF_PROFILE_FILE=fixed MEMPROF_OPTIONS=raw_format=llvm

# A signature of the binary and one of four numbers.
env MEMPROF_PROFILE_FILE=m-%4m.raw ./prog 2>/dev/null
ls | grep -cEx 'm-[0-9]{6,}_[0-3]\.raw' || { echo "%4m: $(ls)"; failed=1; }

# Standard output, also where it is called by its name.
magic=$(MEMPROF_OPTIONS=log_path=stdout ./prog 2>/dev/null | head -c 6 | tail -c 5)
[ "$magic" = mpraw ] || { echo "log_path=stdout: '$magic'"; failed=1; }
magic=$(MEMPROF_OPTIONS=log_path=stderr ./prog 2>&1 >/dev/null | grep -c mpraw)
[ "$magic" = 1 ] || { echo "log_path=stderr: $magic"; failed=1; }

# Where it cannot be written the program runs on, and one line says so.
touch file
lines=$(MEMPROF_OPTIONS=log_path=file/x ./prog 2>&1 | grep -c 'memprof: cannot write')
[ "$lines" = 1 ] || { echo "log_path=file/x: $lines lines"; failed=1; }
MEMPROF_OPTIONS=log_path=file/x ./prog 2>/dev/null || failed=1
magic=$(MEMPROF_OPTIONS=log_path=file/x:log_fallback_to_stderr=1 ./prog 2>&1 | grep -c mpraw)
[ "$magic" = 1 ] || { echo "log_fallback_to_stderr: $magic"; failed=1; }

# No unfinished file stays.
[ -z "$(find . -name '*.part')" ] || { find . -name '*.part'; failed=1; }
exit $failed
