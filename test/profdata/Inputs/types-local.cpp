// As one.cpp and as three.cpp, with NAME replaced: what they allocate has the same
// names and stands at the same places.
struct NAME_static {
    char bytes[100 * sizeof("NAME")];
};
struct NAME_lambda {
    char bytes[101 * sizeof("NAME")];
};
static auto lambda = [](int) { return new NAME_lambda; };
static void *make(int) { return new NAME_static; }

void *use_NAME(int n)
{
    return n ? make(n) : lambda(n);
}
