-- Planets around a sun: arithmetic on fields of a few tables, no allocation in the
-- loop.
local DAYS = 365.24
local bodies = {
    {0, 0, 0, 0, 0, 0, 39.47841760435743},
    {4.84143144246472, -1.16032004402742, -0.10362204447112,
     0.00166007664274 * DAYS, 0.00769901118419 * DAYS, -0.00006904600169 * DAYS,
     0.03769367487038},
    {8.34336671824458, 4.12479856412430, -0.40352341711432,
     -0.00276742510726 * DAYS, 0.00499852801234 * DAYS, 0.00002304172975 * DAYS,
     0.01128632613126},
    {12.89436956213913, -15.11115140169863, -0.22330757889265,
     0.00296460137564 * DAYS, 0.00237847173959 * DAYS, -0.00002965895685 * DAYS,
     0.00172372405705},
    {15.37969711485092, -25.91931460998796, 0.17925877295037,
     0.00268067772490 * DAYS, 0.00162824170038 * DAYS, -0.00009515922545 * DAYS,
     0.00203368686992},
}
for i, b in ipairs(bodies) do
    bodies[i] = {x = b[1], y = b[2], z = b[3], vx = b[4], vy = b[5], vz = b[6],
                 mass = b[7]}
end

local function advance(dt)
    for i = 1, #bodies do
        local a = bodies[i]
        for j = i + 1, #bodies do
            local b = bodies[j]
            local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
            local d2 = dx * dx + dy * dy + dz * dz
            local mag = dt / (d2 * math.sqrt(d2))
            a.vx = a.vx - dx * b.mass * mag
            a.vy = a.vy - dy * b.mass * mag
            a.vz = a.vz - dz * b.mass * mag
            b.vx = b.vx + dx * a.mass * mag
            b.vy = b.vy + dy * a.mass * mag
            b.vz = b.vz + dz * a.mass * mag
        end
    end
    for _, b in ipairs(bodies) do
        b.x = b.x + dt * b.vx
        b.y = b.y + dt * b.vy
        b.z = b.z + dt * b.vz
    end
end

local function energy()
    local e = 0
    for i, a in ipairs(bodies) do
        e = e + 0.5 * a.mass * (a.vx ^ 2 + a.vy ^ 2 + a.vz ^ 2)
        for j = i + 1, #bodies do
            local b = bodies[j]
            local d = math.sqrt((a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 + (a.z - b.z) ^ 2)
            e = e - a.mass * b.mass / d
        end
    end
    return e
end

print(("%.9f"):format(energy()))
for _ = 1, tonumber(arg[1]) do advance(0.01) end
print(("%.9f"):format(energy()))
