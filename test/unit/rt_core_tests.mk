# Unit tests of the runtime's core. They supply what entry.c, options.c and
# interface.c would (rt_stubs.h).

UNIT_RT_CORE := $(patsubst %,$(UNIT_DIR)/rt/%.o,sys_linux mini log own thread threadname \
    heap shadow depot mibmap block clock cfi object origins \
    unwind stack owntime) $(UNIT_DIR)/shared/mib.o
$(foreach t,heap depot cfi shadow mini clock block,\
    $(eval UNIT_OBJS_rt_$(t)_test := $(UNIT_RT_CORE)))
