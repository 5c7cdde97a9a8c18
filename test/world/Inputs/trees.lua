-- Binary trees, string building and a table as a map: an allocation-heavy script
-- with output that does not depend on addresses.
local function tree(depth)
    if depth == 0 then return {} end
    return {tree(depth - 1), tree(depth - 1)}
end

local function count(t)
    if not t[1] then return 1 end
    return 1 + count(t[1]) + count(t[2])
end

local long_lived = tree(12)
local total = 0
for i = 1, 20 do
    total = total + count(tree(10))
end

local words = {}
for i = 1, 5000 do
    local w = ("word%d"):format(i % 700)
    words[w] = (words[w] or 0) + 1
end
local parts = {}
for i = 1, 2000 do parts[#parts + 1] = tostring(i * i) end
local text = table.concat(parts, ",")

-- Sorting with a comparison from Lua, and a coroutine.
local sorted = {}
for w, n in pairs(words) do sorted[#sorted + 1] = w end
table.sort(sorted, function(a, b) return a < b end)
local co = coroutine.wrap(function()
    for i = 1, 100 do coroutine.yield(("x"):rep(i)) end
end)
local length = 0
for i = 1, 100 do length = length + #co() end

print(total, count(long_lived), #sorted, sorted[1], #text, length)
