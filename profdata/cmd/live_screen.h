/* live_screen.h -- a terminal that shows one page at a time and gives keys.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Takes the terminal: another screen, keys at once and unseen. stderr goes to a
 * file meanwhile. False if stdin or stdout is no terminal; nothing is changed
 * then. */
bool live_screen_begin(void);
void live_screen_end(void);

/* Rows and columns of the terminal; as much as a page needs without one. */
struct live_size {
    size_t rows;
    size_t columns;
};
struct live_size live_screen_size(void);

/* Shows a text of several lines; cuts what does not fit. Changes `page`. */
void live_screen_show(char *page);

/* Waits for a key. Returns it, 0 if none comes in time, or LIVE_QUIT for the
 * end of input and signals that end the program. */
#define LIVE_QUIT (-1)
int live_screen_key(uint64_t ms);

/* Stores the last line that was printed to stderr since the last call, or "".
 */
void live_screen_message(char *out, size_t size);
