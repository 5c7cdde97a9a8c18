# Sources of shared/. Each component compiles them with its own flags.
SHARED_SRC := $(wildcard shared/*.c)
