"""far_counts.py: of what show --json says of one call stack with a histogram, how many
cells have which count."""
import collections
import json
import sys

row, = json.load(sys.stdin)["rows"]
counts = collections.Counter(count for _, count in row["histogram"])
for count in sorted(counts):
    print(counts[count], "of", count)
