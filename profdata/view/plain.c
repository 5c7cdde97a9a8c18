/* plain.c -- prints names without control characters.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/plain.h"

#include "profdata/base/controls.h"

#include <string.h>

void plain_print(FILE *out, const char *text)
{
    const char *const end = text + strlen(text);

    while (text < end) {
        const size_t control =
            mpdata_controls_bytes(text, (size_t)(end - text));

        fputc(control != 0 ? '?' : *text, out);
        text += control != 0 ? control : 1;
    }
}
