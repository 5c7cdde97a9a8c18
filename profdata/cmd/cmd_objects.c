/* cmd_objects.c -- memprofdata objects: the objects of a virtual machine.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/diag.h"
#include "profdata/base/file.h"
#include "profdata/cmd/commands.h"
#include "profdata/cmd/objects_print.h"
#include "profdata/cmd/session.h"
#include "profdata/load/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define TOP_DEFAULT 20
#define IDLE_SECONDS_DEFAULT 2

struct objects {
    struct session session;
    uint64_t address; /* 0: none */
    bool is_snapshot;
    struct objects_print print;
};

static int take_address(const struct cmd_arg *arg)
{
    uint64_t *const address = arg->field;
    char *end;

    errno = 0;
    *address = strtoull(arg->value, &end, 16);
    if (errno == 0 && *end == '\0' && *address != 0)
        return 0;
    return cmd_usage(arg->command,
                     "--path=%s: not an address such as 0x7f001234",
                     arg->value);
}

static const struct cmd_option options[] = {
    {"path", 0, "ADDRESS",
     "print what keeps the object at ADDRESS alive: the shortest way to it "
     "from "
     "the root",
     take_address, offsetof(struct objects, address)},
    {"top", 0, "N", "print N rows of each table (default: 20)", cmd_take_count,
     SESSION_AT(show.top)},
    {"idle", 0, "SECONDS",
     "count and list the objects that were not accessed for SECONDS or longer "
     "(default: 2), if the program ran with last_access=1",
     cmd_take_count, offsetof(struct objects, print.idle_seconds)},
    {"snapshot", 0, NULL,
     "print every object with its references, in the form designed for "
     "LuaJIT's memory profiler",
     cmd_take_flag, offsetof(struct objects, is_snapshot)},
    {"json", 0, NULL, "print JSON, with all types and lines", cmd_take_flag,
     SESSION_AT(is_json)},
    SESSION_OUTPUT_OPTIONS,
};

static enum mprof_err print_text(struct session *session, FILE *out)
{
    const struct objects *const o = (struct objects *)session;

    if (!o->is_snapshot)
        return objects_print_text(&o->print, out);
    objects_print_snapshot(&o->print, out);
    return MPROF_E_OK;
}

static enum mprof_err print_json(struct session *session,
                                 struct mpdata_sink *sink)
{
    return objects_print_json(&((struct objects *)session)->print, sink);
}

static enum mprof_err read_rows(struct mpdata_objects *objects,
                                const struct mpdata_file *file,
                                struct mprof_diag *diag)
{
    const enum mprof_err err =
        mpdata_objects_read(objects, file->data, file->size, diag);

    if (err == MPROF_E_OK || err == MPROF_E_NOMEM || err == MPROF_E_VERSION ||
        objects->rows.count != 0)
        return err;
    return mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                            "it has no objects; memprof.dump_objects() of the "
                            "Lua module writes a file of objects");
}

static enum mprof_err read_objects(struct objects *o, const char *path,
                                   struct mprof_diag *diag)
{
    struct mpdata_file file;
    enum mprof_err err = mpdata_parse_open(&file, path, diag);

    if (err == MPROF_E_OK)
        err = read_rows(&o->print.objects, &file, diag);
    mpdata_file_close(&file);
    if (err == MPROF_E_OK)
        err = mpdata_objects_graph(&o->print.graph, &o->print.objects);
    return err;
}

static bool find_path(struct objects *o)
{
    const uint32_t count = o->print.objects.rows.count;
    uint32_t i = 1;

    while (i < count &&
           mpdata_objects_at(&o->print.objects, i)->address != o->address)
        i++;
    o->print.path = i < count ? i : 0;
    return i < count;
}

static int objects(struct session *session)
{
    struct objects *const o = (struct objects *)session;
    struct mprof_diag diag;

    if (session->word_count != 1)
        return cmd_usage(session->command, session->word_count == 0
                                               ? "no file is named"
                                               : "name one file");
    if (o->is_snapshot && (session->is_json || o->address != 0))
        return cmd_usage(session->command,
                         "--snapshot has no --json and no --path");
    o->print.top = session->show.top;
    switch (read_objects(o, session->words[0], &diag)) {
    case MPROF_E_OK:
        break;
    case MPROF_E_NOMEM:
        return cmd_no_memory();
    default:
        diag.file = session->words[0];
        return cmd_fail(&diag);
    }
    if (o->address != 0 && !find_path(o)) {
        cmd_say("%s: no object has the address 0x%" PRIx64, session->words[0],
                o->address);
        return mprof_err_exit(MPROF_E_USAGE);
    }
    return session_print(session, print_text, print_json);
}

static int run(const struct cmd_call *call)
{
    struct objects o = {.session.show.top = TOP_DEFAULT,
                        .print.idle_seconds = IDLE_SECONDS_DEFAULT};
    const int status = session_run(&o.session, call, objects);

    mpdata_objects_graph_fini(&o.print.graph);
    mpdata_objects_fini(&o.print.objects);
    return status;
}

const struct cmd_command cmd_objects = {
    .name = "objects",
    .usage = "[OPTION]... FILE",
    .summary = "print the objects of a virtual machine",
    .details =
        "Prints what stands in a file that memprof.dump_objects() of the Lua "
        "module wrote: the objects that were alive, by type, by the line of "
        "the script that allocated them, and by what they retain, that is, the "
        "bytes that would be free without them; and what keeps an object "
        "alive.",
    .options = options,
    .option_count = MPROF_ARRAY_LEN(options),
    .run = run};
