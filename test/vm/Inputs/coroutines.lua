-- Coroutines: what they return and how they fail is the same with the module, which starts
-- in a coroutine that ends.
local original = coroutine.resume
local memprof = arg[1] == "profiled" and require "memprof"
local first = coroutine.create(function()
  assert(not memprof or memprof.start())
end)
assert(coroutine.resume(first))
first = nil
collectgarbage()

local keep = {}
for i = 1, 20000 do keep[i % 100 + 1] = { i } end -- line 13

-- In each other, up to the limit.
local depth = 0
local function nest(n)
  depth = n
  if n == 300 then return end
  local ok, message = coroutine.resume(coroutine.create(nest), n + 1)
  if not ok then error(message, 0) end
end
print(pcall(nest, 1))
print(depth)
local function walk(n)
  if n ~= 0 then
    for value in coroutine.wrap(function() walk(n - 1) end) do coroutine.yield(value) end
    coroutine.yield(n)
  end
end
local sum = 0
for value in coroutine.wrap(function() walk(80) end) do sum = sum + value end
print(sum)

-- Arguments, results and errors.
local co = coroutine.create(function(...)
  print("begins", ...)
  print("goes on", coroutine.yield(1, nil, 3))
  return nil, nil
end)
print(coroutine.resume(co, "a", nil))
print(coroutine.resume(co))
print(original(co))
print(coroutine.resume(co))
print(coroutine.status(co))
print((pcall(coroutine.resume)))
print((pcall(coroutine.resume, 1)))
print(coroutine.resume(coroutine.running() or coroutine.create(function() end), 1))
co = coroutine.create(function() print(coroutine.resume(co)) end)
print(coroutine.resume(co))
for _, value in ipairs { "text", {}, 7 } do
  local f = coroutine.wrap(function() coroutine.yield() error(value) end)
  f()
  local ok, message = pcall(f)
  print(ok, message == value or message)
  print(pcall(f))
end
local itself
itself = coroutine.wrap(function() itself() end)
print(pcall(itself))
local many = {}
for i = 1, 5000 do many[i] = i end
local unpack = table.unpack or unpack
print(select("#", coroutine.resume(coroutine.create(function(...) return ... end), unpack(many))))
print(select("#", coroutine.wrap(function(...) return ... end)(unpack(many))))
local close = (loadstring or load) [[
  local f = coroutine.wrap(function(how)
    local ended <close> = setmetatable({}, { __close = function(_, message)
      print("ends", message)
      if how == 2 then error("in the end", 0) end
    end })
    error("in between", 0)
  end)
  print(pcall(f, ...))
  print(pcall(f, ...))
]]
if close then
  close(1)
  close(2)
end
