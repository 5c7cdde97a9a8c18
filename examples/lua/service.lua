-- service.lua -- a script with three flaws: a cache that only grows, a table that
-- nobody reads, and a text that grows by one line at a time.
local memprof = require "memprof"
assert(memprof.start())

local cache = {}
local history = {}

local function answer(request)
  local key = "request " .. request
  cache[key] = { key = key, result = { request, request * 2, request * 3 } }
  return cache[key].result
end

local function remember(request)
  history[#history + 1] = { time = os.clock(), request = request }
end

local function report(results)
  local text = ""
  for i, result in ipairs(results) do
    text = text .. i .. ": " .. table.concat(result, ", ") .. "\n"
  end
  return text
end

local results = {}
for request = 1, 2000 do
  remember(request)
  results[request % 800 + 1] = answer(request)
end
print(#report(results) .. " bytes")
os.exit() -- as a service ends: nothing is freed before
