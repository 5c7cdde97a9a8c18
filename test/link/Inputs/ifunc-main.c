/* The program of the library that ifunc.c makes with -DLIBRARY. */
void use(void);

int main(void)
{
    use();
    return 0;
}
