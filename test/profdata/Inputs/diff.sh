# diff.sh -- builds NAME.cpp, runs it, and makes NAME.p of its profile.
#
# usage: diff.sh "COMMAND OF CLANG++" MEMPROFDATA NAME
set -e
clang=$1 memprofdata=$2 name=$3
cp "$name.cpp" program.cpp
$clang -O1 -fmemory-profile program.cpp -o "$name.exe"
MEMPROF_OPTIONS=log_path="raw.$name" "./$name.exe"
"$memprofdata" merge "raw.$name".* -o "$name.p"
