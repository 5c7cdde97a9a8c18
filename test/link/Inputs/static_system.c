/* Calls code of libresolv.a and libcrypt.a. */
#include <arpa/nameser.h>
#include <crypt.h>
#include <stdlib.h>

int main(void)
{
    const unsigned char bytes[2] = {1, 2};
    char *volatile idle = (char *)malloc(1001);

    free(idle);
    return ns_get16(bytes) != 0x102 || crypt("word", "$5$salt") == NULL;
}
