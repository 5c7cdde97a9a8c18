# pass/ -- see the Makefile
