# rt/ -- see the Makefile
