# The contract, compiled into every component with that component's flags.
SHARED_SRC := $(wildcard shared/*.c)
