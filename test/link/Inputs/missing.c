int missing_function(void);

int calls_missing(void)
{
    return missing_function();
}
