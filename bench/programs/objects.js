// Objects, closures and strings: a parser of expressions, an evaluator that walks
// its trees, and sorting.
var rounds = 10, out = typeof print === "function" ? print : console.log;
var seed = 42;
function random(n) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor(seed / 65536) % n;
}
function write(depth) {
    if (depth === 0) return String(1 + random(99));
    switch (random(4)) {
    case 0: return "(" + write(depth - 1) + "+" + write(depth - 1) + ")";
    case 1: return "(" + write(depth - 1) + "-" + write(depth - 1) + ")";
    case 2: return "(" + write(depth - 1) + "*" + write(depth - 1) + ")";
    default: return "(" + write(depth - 1) + ")";
    }
}
function parse(text) {
    var at = 0;
    function expression() {
        if (text.charAt(at) !== "(") {
            var from = at;
            while (at < text.length && "0123456789".indexOf(text.charAt(at)) >= 0) at++;
            return {kind: "number", value: Number(text.substring(from, at))};
        }
        at++;
        var left = expression(), sign = text.charAt(at++);
        if (sign === ")") return {kind: "group", inner: left};
        var right = expression();
        at++;
        return {kind: "pair", sign: sign, parts: [left, right]};
    }
    return expression();
}
var walkers = {
    number: function (e) { return e.value; },
    group: function (e) { return value(e.inner); },
    pair: function (e) {
        var parts = e.parts.map(value);
        return (e.sign === "+" ? parts[0] + parts[1] :
                e.sign === "-" ? parts[0] - parts[1] : parts[0] * parts[1]) % 1000003;
    }
};
function value(e) { return walkers[e.kind](e); }
for (var round = 0; round < rounds; round++) {
    var results = [];
    for (var i = 0; i < 60; i++) {
        var text = write(9);
        results.push({at: i, length: text.length, value: value(parse(text))});
    }
    results.sort(function (a, b) { return a.value - b.value || a.at - b.at; });
    var names = {};
    for (var k = 0; k < 12000; k++) {
        var name = "name" + (k * 7919 % 3001);
        names[name] = (names[name] || "") + (k % 10);
    }
    out(results.slice(0, 3).map(function (r) { return r.length + ":" + r.value; }).join(" "),
        Object.keys(names).length, names.name7);
}
