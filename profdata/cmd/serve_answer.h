/* serve_answer.h -- the answers of memprofdata serve.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/serve/http.h"

#include <semaphore.h>
#include <stdatomic.h>

struct serve_state {
    const char **words; /* the operands */
    uint32_t word_count;
    sem_t free;            /* how many commands may run at once */
    atomic_bool is_ending; /* waits end */
};

/* Answers a request; context is a struct serve_state. */
mpdata_http_fn serve_answer;
