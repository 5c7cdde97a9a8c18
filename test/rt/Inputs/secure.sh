# secure.sh DIR -- DIR/prog writes a profile normally, but not as a set-group-id
# program.
cd "$1" || exit 1
env MEMPROF_PROFILE_FILE=usual.raw ./prog > out || exit 1
[ -e usual.raw ] || exit 1
if [ "$(id -u)" != 0 ]; then
    echo 'not root: nothing to see'
    exit 0
fi
chgrp nogroup prog && chmod 2755 prog || exit 1
# The linker takes TMPDIR out of such a program's environment.
env TMPDIR=/tmp MEMPROF_PROFILE_FILE=secure.raw MEMPROF_OPTIONS=help=1 ./prog > out 2> err
if ! grep -qx 'secure 1' out; then
    echo 'the file system gives no rights'
    exit 0
fi
[ ! -s err ] || { cat err; exit 1; }
[ "$(ls | grep -c raw)" = 1 ] || { ls; exit 1; }
