-- A table that is no longer used beside one that is; arg[1]: file of the dump.
local memprof = require "memprof"
assert(memprof.start())
local function make(n)
  local t = {}
  for i = 1, n do t[i] = { i, "text " .. i .. " of " .. n } end -- line 6
  return t
end
local stale = make(1000)
local busy = make(2000)
local function never() return stale end
local last = {}
while os.clock() < 3.5 do
  for i = 1, #busy do busy[i][1] = busy[i][1] + #busy[i][2] end
  last = { last[1] }
end
assert(memprof.dump_objects(arg[1]))
