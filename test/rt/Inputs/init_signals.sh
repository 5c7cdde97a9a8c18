# init_signals.sh PROGRAM -- prints the exit statuses of PROGRAM as the first process
# of a container.
unshare -Urpf --mount-proc true 2> /dev/null || { echo 'no namespaces'; exit 0; }
for how in term int segv fault; do
    env MEMPROF_OPTIONS=dump_on_term=1 MEMPROF_PROFILE_FILE=$how.raw \
        unshare -Urpf --mount-proc "$1" $how > out 2> err
    echo "$how $?"
done
