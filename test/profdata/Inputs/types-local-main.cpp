void *use_one(int);
void *use_three(int);

int main()
{
    return use_one(0) == use_one(1) || use_three(0) == use_three(1);
}
