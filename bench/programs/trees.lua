-- Binary trees: allocation of many small tables, most of them short-lived.
local function tree(depth)
    if depth == 0 then return {} end
    return {tree(depth - 1), tree(depth - 1)}
end

local function count(t)
    if not t[1] then return 1 end
    return 1 + count(t[1]) + count(t[2])
end

local depth_max = tonumber(arg[1])
local long_lived = tree(depth_max)
for depth = 4, depth_max, 4 do
    local total = 0
    local rounds = 1 << (depth_max - depth + 2)
    for _ = 1, rounds do total = total + count(tree(depth)) end
    print(rounds, depth, total)
end
print(count(long_lived))
