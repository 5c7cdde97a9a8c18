/* one.cpp -- all in one file, for compilers that do not optimize at the link. */
#include "kinds.cpp"
#include "main.cpp"
