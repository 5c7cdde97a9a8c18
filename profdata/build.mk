# profdata/ -- see the Makefile
