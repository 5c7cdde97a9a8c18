# budget.sh -- checks a budget of one line after [total]; prints what was said and
# the exit status. A profile llvm.p is one of LLVM's form.
#
# usage: budget.sh MEMPROFDATA LINE PROFILE
memprofdata=$1 line=$2 profile=$3
printf '[total]\n%s\n' "$line" > bad.toml
"$memprofdata" merge --memprof-version=2 --llvm-only old.p -o llvm.p
"$memprofdata" check-budget bad.toml "$profile" 2>&1
echo "status $?"
