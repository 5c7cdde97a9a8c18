-- A graph whose parts are known; dumped by the script itself.
local memprof = require "memprof"
if os.getenv "START" then assert(memprof.start()) end
local cache = {}
for i = 1, 100 do
  cache["key " .. i] = { i, name = "n" .. i } -- line 6
end
local fail = function() error "a metamethod ran" end
local quiet = { __index = fail, __newindex = fail, __len = fail, __pairs = fail, __eq = fail,
  __tostring = fail, __name = fail }
collectgarbage("stop") weak = setmetatable({}, { __mode = "v" })
weak[1] = { "weakly" } -- line 12
weak[2] = cache
weak_keys = setmetatable({}, { __mode = "k" })
weak_keys[cache] = setmetatable({ "of a weak key" }, quiet)
quiet.__mode = fail
local function suspended(...)
  local inside = { "inside", ... } -- line 18
  coroutine.yield()
  return inside
end
local thread = coroutine.create(suspended)
coroutine.resume(thread, { "argument" })
local fresh = coroutine.create(suspended)
local counter = 0
local function count() counter = { counter } end
local function count_twice() count() return counter end
count_twice()
bytes = "\1\200\"\\x"
local long = string.rep("x", 1000)
long2 = table.concat({ long, "y" })
finalized = 0
collectgarbage "stop"
userdata = { io.tmpfile() }
if jit then
  local ffi = require "ffi"
  box = { ffi.new("char[?]", 3000), "holds cdata", ffi.new "double[300]" }
end
if newproxy then
  getmetatable(newproxy(true)).__gc = function() finalized = finalized + 1 end
else
  setmetatable({}, { __gc = function() finalized = finalized + 1 end })
end
-- From a coroutine: the main one is on no list of Lua's.
coroutine.wrap(function()
  local here = { "here" } -- line 41
  assert(memprof.dump_objects(arg[1]) == true)
  assert(here[1] == "here")
end)()
assert(finalized == 0, "the garbage collector ran")
assert(select("#", memprof.dump_objects "/nonexistent/x") == 2)
print(select(2, memprof.dump_objects "/nonexistent/x"))
assert(not pcall(memprof.dump_objects))
