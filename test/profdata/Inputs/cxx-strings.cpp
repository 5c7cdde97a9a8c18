// Blocks that functions of the C++ library allocate for it: characters of strings.
// With -DLIBRARY a library that makes one.
#include <string>

std::string library_string(const char *text);

#ifdef LIBRARY
std::string library_string(const char *text)
{
    return std::string(text) + " of a library, long enough for a block";
}
#else
static __attribute__((noinline)) void use(const std::string &text)
{
    static volatile char last;

    for (char c : text)
        last = c;
}

static __attribute__((noinline)) void make_string(const char *text)
{
    std::string joined(text);

    joined += ", and something behind it, long enough for a block";
    use(joined);
}

static __attribute__((noinline)) void reserve_only(void)
{
    std::string empty;

    empty.reserve(1000);
}

int main(int, char **argv)
{
    make_string(argv[0]);
    reserve_only();
    use(library_string("a string"));
    return 0;
}
#endif
