// Functions of all kinds that allocate; each line's blocks are known.
var keep = [];
function Point(x) {
  this.x = [x]; // line 4
}
function direct(n) {
  for (var i = 0; i < n; ++i)
    keep.push({ i: i }); // line 8
}
function compare(a, b) {
  keep.push({ a: a }); // line 11
  return a - b;
}
function sorted() {
  return [5, 3, 1, 2, 4].sort(compare).join(""); // line 15
}
function points(n) {
  for (var i = 0; i < n; ++i)
    keep.push(new Point(i)); // line 19
}
function thrown(n) {
  try {
    (function inner() {
      keep.push({ t: n }); // line 24
      throw "x";
    })();
  } catch (e) {
    keep.push({ after: n }); // line 28
  }
}
var object = {
  get field() {
    return keep.push({ g: 1 }); // line 33
  },
};
direct(100); // line 36
points(50);
for (var i = 0; i < 30; ++i)
  thrown(i);
for (var i = 0; i < 20; ++i)
  object.field;
eval("keep.push({ e: 1 })");
print(sorted(), keep.length);
