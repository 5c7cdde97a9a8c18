#!/bin/sh
# deb.sh -- installs the Debian package in a new root made by debootstrap, uses it
# there as a user would, and removes it. Needs root and a Debian mirror.
#
# usage: deb.sh PACKAGE.deb EXAMPLE.cpp DIRECTORY
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -eu
package=$1 example=$2 root=$3/root

sources=$(ls /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | head -1)
mirror=$(sed -n 's/^URIs: *//p; s/^deb \([^ ]*\) .*/\1/p' "$sources" | head -1)
release=$(. /etc/os-release && echo "$VERSION_CODENAME")

in_root() { chroot "$root" env -i PATH=/usr/lib/llvm-22/bin:/usr/bin:/bin:/usr/sbin:/sbin \
    HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }

mkdir -p "$root"
trap 'umount "$root/proc" 2>/dev/null || true' EXIT
debootstrap --variant=minbase "$release" "$root" "$mirror" > "$3/debootstrap.log" 2>&1
mount -t proc proc "$root/proc"
rm -f "$root/etc/apt/sources.list"
cp "$sources" "$root/etc/apt/sources.list.d/debian.${sources##*.}"
cp "$package" "$root/memprof.deb"
cp "$example" "$root/root/app.cpp"
in_root sh -c 'dpkg-query -W | cut -f1 | sort > /root/before'
in_root apt-get update -qq
in_root apt-get install -y -qq --no-install-recommends ./memprof.deb g++ man-db > "$3/apt.log" 2>&1

# The commands of the README, as they stand there; the distribution's archives are
# installed, so the configuration file brings ours.
in_root sh -ec 'cd /root
clang++ -fpass-plugin=memprof.so -fmemory-profile -O2 app.cpp -o app
./app > /dev/null && memprofdata merge *.raw -o app.profdata && rm *.raw
clang++ --config=/usr/lib/memprof/llvm-22/memprof.cfg -fmemory-profile -O2 app.cpp -o app
./app > /dev/null && ls *.raw && memprofdata merge *.raw -o app.profdata
memprofdata show app.profdata
clang++ -fpass-plugin=memprof.so -fprofile-use=app.profdata -O2 app.cpp -o app && ./app > /dev/null
rm -f *.raw && memprof-clang++ -fmemory-profile -O2 app.cpp -o app && ./app > /dev/null && ls *.raw
man -w memprofdata memprof-clang++ memprof'
in_root apt-get purge -y -qq memprof >> "$3/apt.log" 2>&1
if in_root sh -c 'find / -xdev -name "*memprof*" | grep -v -e libclang_rt -e /memprof.deb -e sanitizer/memprof_interface.h -e ^/root/ -e ^/var/cache -e /llvm'; then
    echo 'the package left files behind' >&2
    exit 1
fi
echo 'installed, used and removed'
