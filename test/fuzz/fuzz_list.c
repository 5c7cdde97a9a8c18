/* fuzz_list.c -- libFuzzer target: lists of inputs. Slashes and dots of the
 * input are replaced, so that no list leads out of an empty directory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int list_fd = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    list_fd = memfd_create("list", 0);
    return list_fd < 0;
}

static void write_list(const uint8_t *data, size_t size)
{
    if (ftruncate(list_fd, 0) != 0 || lseek(list_fd, 0, SEEK_SET) != 0)
        abort();
    for (size_t i = 0; i < size; i++) {
        const uint8_t c = data[i] == '/' || data[i] == '.' ? '_' : data[i];

        if (write(list_fd, &c, 1) != 1)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_inputs inputs;
    struct mprof_diag diag;
    char path[32];

    write_list(data, size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", list_fd);
    mpdata_inputs_init(&inputs);
    if (mpdata_inputs_add_list(&inputs, path, &diag) == MPROF_E_OK) {
        if (mpdata_inputs_dedupe(&inputs, "out") != MPROF_E_OK)
            abort();
        for (uint32_t i = 0; i < inputs.count; i++) {
            const struct mpdata_input *const file =
                mpdata_inputs_get(&inputs, i);

            if (file->path[0] == '\0' || file->weight == 0)
                abort();
        }
    }
    mpdata_inputs_fini(&inputs);
    return 0;
}
