// Fields of what is allocated: nested, bases, arrays, bit fields, unions.
#include <cstdlib>
#include <vector>
struct Base { virtual ~Base() {} long id; };
struct Inner { int x; int y; };
struct Obj : Base {
    Inner where;
    union { long a; double b; };
    unsigned low : 3, high : 7;
    char name[20];
};
static Obj *volatile obj;
struct Row { long key; Inner in; }; struct Late : virtual Inner { long d; }; struct Has { Late late; };
int main()
{
    obj = new Obj;
    for (int i = 0; i < 100; i++) { obj->where.y += i; obj->a = i; obj->name[3]++; }
    Row *volatile rows = new Row[10];
    for (int i = 0; i < 10; i++) rows[i].key = i;
    std::vector<Row> v;
    for (int i = 0; i < 20; i++) v.push_back({i, {1, 2}});
    struct Hdr { long n; long m; };
    Hdr *volatile h = (Hdr *)std::malloc(sizeof(Hdr) + 16);
    h->n = 1; Has *volatile has = new Has; has->late.d = 1; delete has;
    Late *volatile late = new Late; for (int i = 0; i < 5; i++) { late->d += i; late->y += i; } delete late;
    delete obj; delete[] rows; std::free(h);
    return v[3].key == 3 ? 0 : 1;
}
