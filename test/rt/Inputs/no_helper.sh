# no_helper.sh MEMPROFDATA BLOCKS_IN.PY -- runs ./prog while a system call filter, or a
# limit on processes, lets it start no process; prints the blocks of its profile.
fail() { echo "$1"; cat out err; exit 1; }
run() { # NAME OPTIONS COMMAND...
    name=$1 options=$2
    shift 2
    rm -f ./*.raw
    env MEMPROF_OPTIONS="$options" "$@" > out 2> err
    status=$?
    [ $status = 5 ] || fail "$name $options: status $status"
    [ "$(cat out)" = output ] || fail "$name $options: output"
    [ "$(grep -c . err)" = 1 ] &&
        grep -q 'memprof: cannot start the process that writes while' err ||
        fail "$name $options: not said, or not once"
    echo "$name $options: $(python3 "$blocks_in" "$memprofdata" ./*.raw)"
}
memprofdata=$1 blocks_in=$2
for options in continuous=1 dump_interval=1 dump_signal=10; do
    run refused $options ./refuse ./prog
done
# Root has no such limit: another user.
limited='prlimit --nproc=1'
[ "$(id -u)" = 0 ] &&
    limited="setpriv --reuid=64123 --regid=64123 --clear-groups $limited"
if $limited true 2> err; then
    run limited continuous=1 $limited ./prog
else
    echo 'limited continuous=1: not to be had'
fi
