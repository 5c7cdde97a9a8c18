-- Makes 500 strings, in the way that the argument names.
assert(require("memprof").start())
local text, kept = "", {}
function grow()
  for i = 1, 500 do text = text .. "piece " .. i end
end
function rep()
  for i = 1, 500 do text = string.rep("piece ", i) end
end
function same()
  for i = 1, 500 do text = ("x"):rep(3000) .. i % 10 end
end
function keep()
  for i = 1, 500 do kept[i] = (kept[i - 1] or "") .. "piece " .. i end
end
_G[arg[1]]()
assert(require("memprof").dump())
os.exit()
