# failures.sh PROGRAM -- file systems and processes that need a namespace: a full and a
# read-only file system, another root directory, the first process of a container.
# Prints a message if there are no namespaces.
program=$1
if [ "$2" != inside ]; then
    unshare -Urm true 2> /dev/null || { echo 'no namespaces'; exit 0; }
    exec unshare -Urm sh "$0" "$program" inside
fi
fail() { echo "$1"; cat err; exit 1; }
# What is said, and that it is one line.
says() { [ "$(grep -c memprof: err)" = 1 ] && grep -q "$1" err || fail "$1"; }

mkdir -p full read-only root inits
mount -t tmpfs -o size=4k,mode=777 none full || exit 0
dd if=/dev/zero of=full/all bs=4k count=1 2> /dev/null
env MEMPROF_PROFILE_FILE=full/p.raw "$program" plain 2> err
[ $? = 5 ] || fail 'full: status'
says ': no space left; choose another place'
env MEMPROF_OPTIONS=continuous=1 MEMPROF_PROFILE_FILE=full/p.raw "$program" plain 2> err
[ $? = 5 ] || fail 'full, continuous: status'
says ': no space left; choose another place'
[ "$(ls -A full)" = all ] || fail "full: $(ls -A full)"

mount -t tmpfs -o ro none read-only
env MEMPROF_PROFILE_FILE=read-only/p.raw "$program" plain 2> err
[ $? = 5 ] || fail 'read-only: status'
says ': read-only file system; choose another place'

# The place is the one from before, also of a relative name.
env MEMPROF_PROFILE_FILE="$PWD/root/p.raw" "$program" chroot root/. 2> err
[ $? = 5 ] || fail 'chroot: status'
[ -e root/p.raw ] && [ ! -s err ] || fail 'chroot: absolute'
env MEMPROF_PROFILE_FILE=q.raw "$program" chroot root 2> err
[ $? = 5 ] && [ -e q.raw ] && [ ! -e root/q.raw ] && [ ! -s err ] || fail 'chroot: relative'

# Always the same process id: no file is overwritten. A container may have no
# further /proc to give.
unshare -pf --mount-proc true 2> /dev/null || { echo 'no process namespaces'; exit 0; }
cd inits || exit 1
for run in 1 2 3; do
    unshare -pf --mount-proc "$program" plain 2> err
    [ $? = 5 ] || fail 'first process: status'
done
[ "$(ls | tr '\n' ' ')" = 'err memprof.profraw.1.1.raw memprof.profraw.1.2.raw memprof.profraw.1.raw ' ] ||
    fail "$(ls)"
exit 0
