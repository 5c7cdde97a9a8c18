# test/ -- see the Makefile
