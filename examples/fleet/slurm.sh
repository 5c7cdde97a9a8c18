#!/bin/sh
#SBATCH --array=0-99
#SBATCH --mem=2G
# slurm.sh -- the first level of a tree as a job array; the second is a job that waits
# for it:
#
#   id=$(sbatch --parsable slurm.sh hosts parts)
#   sbatch --dependency=afterok:$id --wrap 'memprofdata merge parts -o fleet.profdata'
#
# `hosts` lists directories, one for each host; each task merges its share of them.
# Parts of an earlier array that had more tasks would be merged, too: `parts` is a new
# directory then.
#
# usage: slurm.sh LIST PARTS
set -e
if [ "$SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX" != "0-$((SLURM_ARRAY_TASK_COUNT - 1))" ]; then
    echo "slurm.sh: --array must be 0-N, else hosts are left out" >&2
    exit 1
fi
part=$2/$SLURM_ARRAY_TASK_ID.profdata
mkdir -p "$2"
rm -f "$part"
share=$(awk -v n="$SLURM_ARRAY_TASK_COUNT" -v i="$SLURM_ARRAY_TASK_ID" 'NR % n == i' "$1")
[ -n "$share" ] || exit 0 # more tasks than hosts
printf '%s\n' "$share" |
    "${MEMPROFDATA:-memprofdata}" merge -j1 --partial @- -o "$part"
