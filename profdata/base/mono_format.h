/* mono_format.h -- version 1 of the block format: the log of Mono's profiler of
 * 2007. Blocks have no size; INTEGER and STRING are those of version 2
 * (shared/log_format.h).
 *
 *   INTRO       := 1 version, STRING runtime, counter, time
 *   CLOCK       := 2 counter, time
 *   LOADED      := 3 kind, counter, counter, thread, STRING name
 *   UNLOADED    := 4 the same
 *   MAPPING     := 5 counter, thread, (class, STRING name)*0,
 *                  (method, class, STRING name)*0, counter
 *   EVENTS      := 6 counter, thread, base, (code BYTE, value, value)*0,
 *                  counter
 *   STATISTICAL := 7 counter, method*0, function*0, counter
 *   END         := 8 version, counter, time
 *
 * Codes of blocks are BYTEs, other fields INTEGERs; times are microseconds
 * since 1970. The second value of an event is the counter's step, but of the
 * allocation of an object its size.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#define MPDATA_MONO_VERSION 1

enum mpdata_mono_block {
    MPDATA_MONO_INTRO = 1,
    MPDATA_MONO_CLOCK,
    MPDATA_MONO_LOADED,
    MPDATA_MONO_UNLOADED,
    MPDATA_MONO_MAPPING,
    MPDATA_MONO_EVENTS,
    MPDATA_MONO_STATISTICAL,
    MPDATA_MONO_END
};

/* Bits of an event's code. Without METHOD and CLASS it is of neither. */
enum mpdata_mono_event {
    MPDATA_MONO_METHOD = 0x20,
    MPDATA_MONO_CLASS = 0x10,
    MPDATA_MONO_ENDS = 0x08,
    MPDATA_MONO_FAILED = 0x04, /* of methods and classes */
    MPDATA_MONO_KIND = 0x03,
    MPDATA_MONO_SIMPLE_KIND = 0x07,
    MPDATA_MONO_CALL = 0,  /* of METHOD */
    MPDATA_MONO_ALLOC = 2, /* of CLASS */
    MPDATA_MONO_SIMPLE_MAX = 6
};
