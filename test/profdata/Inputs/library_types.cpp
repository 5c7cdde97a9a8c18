// Blocks that libraries allocate for themselves, each of a size of its own.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

int main(int argc, char **argv)
{
    std::string text;
    std::wstring wide;
    char *copy = strdup(std::getenv("TEXT"));
    std::ifstream stream(argv[0]);
    FILE *file = fopen(argv[0], "r");

    text.append(4999, 'x');
    wide.append(1999, L'x');
    text += copy;
    std::fprintf(stderr, "%d %d\n", stream.get(), fgetc(file));
    fclose(file);
    free(copy);
    return text.size() + wide.size() + argc == 0;
}
