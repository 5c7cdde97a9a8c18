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
#
# usage: slurm.sh LIST PARTS
set -e
mkdir -p "$2"
awk -v n="$SLURM_ARRAY_TASK_COUNT" -v i="$SLURM_ARRAY_TASK_ID" 'NR % n == i' "$1" |
    "${MEMPROFDATA:-memprofdata}" merge -j1 --partial @- -o "$2/$SLURM_ARRAY_TASK_ID.profdata"
