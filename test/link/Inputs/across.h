enum { WORDS = 1500 };

long *make(int words);
void put(long *list, int i);
