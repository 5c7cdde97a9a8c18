# budget.sh -- checks a budget of one line after a comment; prints what was said and
# the exit status. A profile llvm.p is one of LLVM's form.
#
# usage: budget.sh MEMPROFDATA LINE PROFILE
memprofdata=$1 line=$2 profile=$3
printf '# All.\n%s\n' "$line" > bad
"$memprofdata" merge --memprof-version=2 --llvm-only old.p -o llvm.p
"$memprofdata" check-budget bad "$profile" 2>&1
echo "status $?"
