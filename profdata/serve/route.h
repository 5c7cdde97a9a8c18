/* route.h -- what a request of HTTP asks for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Longest time that a profile may cover. */
#define MPDATA_ROUTE_SECONDS_MAX 300u

/* X(id, path, what) */
#define MPDATA_ROUTES(X)                                                     \
    X(PAGE, "/", "the report page of now")                                   \
    X(HEAP, "/debug/pprof/heap", "a profile for pprof: live memory first")   \
    X(ALLOCS, "/debug/pprof/allocs", "a profile for pprof: all allocations") \
    X(METRICS, "/metrics", "numbers for Prometheus")

enum mpdata_route {
#define X(id, path, what) MPDATA_ROUTE_##id,
    MPDATA_ROUTES(X)
#undef X
        MPDATA_ROUTE_COUNT
};

/* The route of a path; COUNT if there is none. */
enum mpdata_route mpdata_route_find(const char *path);
/* Text that lists the routes. */
extern const char mpdata_route_list[];
/* Parses ?seconds=N (NULL: not given, 0). False if it is no number up to
 * MPDATA_ROUTE_SECONDS_MAX. */
bool mpdata_route_seconds(const char *text, unsigned *seconds);
/* Whether the Host header (NULL: none) names this machine by an address or as
 * localhost. Another name means that a web page had a browser resolve its own
 * name to this address. */
bool mpdata_route_is_local_host(const char *host);
