#include <stdlib.h>

static void *make(size_t size)
{
    return malloc(size); // </script><img src=x onerror="hacked=1"><script>hacked=2</script>
}

int main(void)
{
	void *p = make(100);

    free(p);
    return 0;
}
