-- Functions of all kinds that allocate; each line's blocks are known.
local memprof = require "memprof"
assert(memprof.is_running() == false)
assert(select(2, memprof.stop()) == "the profiler does not run in this state")
assert(memprof.start() == true)
assert(select(2, memprof.start()) == "the profiler runs in this state already")
assert(memprof.is_running() == true)
memprof.phase("work")
memprof.mark("here")

local keep = {}
function direct(n)
  for i = 1, n do
    keep[#keep + 1] = { i } -- line 14
  end
end

local function inner(i)
  keep[#keep + 1] = { i } -- line 19
end
function nested(n)
  for i = 1, n do inner(i) end
  return 0
end

local function compare(a, b)
  keep[#keep + 1] = { a } -- line 27
  return a < b
end
function sorted()
  table.sort({ 5, 3, 4, 1, 2 }, compare)
end

local function body(n)
  for i = 1, n do
    keep[#keep + 1] = { i } -- line 36
    coroutine.yield(i)
  end
  error("in the coroutine")
end
function wrapped(n)
  local next_value = coroutine.wrap(body)
  for i = 1, n do assert(next_value(n) == i) end
  return select(2, pcall(next_value))
end
function resumed(n)
  local thread = coroutine.create(body)
  for i = 1, n do assert(select(2, coroutine.resume(thread, n)) == i) end
  return select(2, coroutine.resume(thread))
end

local proxy = setmetatable({}, { __index = function(_, key)
  keep[#keep + 1] = { key } -- line 53
  return key
end })
function meta(n)
  for i = 1, n do assert(proxy[i] == i) end
end

function loaded()
  return assert((loadstring or load)("return { 1 }", "=text"))()
end

-- The stack of the state moves several times.
local function deep(n)
  if n == 0 then return {} end
  return (deep(n - 1))
end

deep(10000)
direct(100)
nested(50)
sorted()
print(wrapped(10))
print(resumed(10))
meta(20)
keep[#keep + 1] = loaded()
function repeated(n)
  return string.rep("r", 1000 + n) -- line 79, a tail call of a C function
end
for i = 1, 20 do keep[#keep + 1] = repeated(i) end
assert(memprof.dump() == true)
assert(memprof.stop() == true)
for i = 1, 1000 do keep[#keep + 1] = { i } end
assert(memprof.is_running() == false)
