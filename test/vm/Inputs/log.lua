-- A log from start() to stop(); arg[1]: its file.
local memprof = require "memprof"
local kept = {}
local function make(n)
  for i = 1, n do kept[#kept + 1] = { i } end -- line 5
end
make(100)
assert(select(2, memprof.start "/nonexistent/x") == "No such file or directory")
assert(not memprof.is_running())
assert(not pcall(memprof.start, arg[1], -1))
assert(memprof.start(arg[1], 10))
make(1000)
assert(memprof.stop())
make(100)
assert(memprof.start(arg[1] .. ".2"))
assert(memprof.stop())
print(select(2, memprof.start "/dev/full"))
assert(not memprof.is_running())
print(select(2, memprof.stop()))
-- The state ends with a log that is whole.
assert(memprof.start(arg[1] .. ".3"))
make(500)
