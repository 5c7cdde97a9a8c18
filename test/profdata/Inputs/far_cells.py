"""far_cells.py COUNT: text of a profile in which one call stack has so many rows, each
with a histogram of one cell that is far from all others'.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

count = int(sys.argv[1])
print('{"MemprofProfile":1,"Runs":[{"RUN_ID":"0x1","COUNT":1}],'
      '"Frames":[{"NoLines":true,"Address":"0x123"}],"Contexts":[')
print(",\n".join(
    '{"Callstack":[0],"MemInfoBlock":{"AllocCount":1,"TotalSize":600,"MinSize":600,'
    '"MaxSize":800000000,"AccessHistogramSize":100000000},"Histogram":[[%d,1]]}'
    % (i * 7919 % count * 9) for i in range(count)))
print("]}")
