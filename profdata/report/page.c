/* page.c -- embeds the data into the page.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/report/document.h"
#include "profdata/base/gzip.h"

#include <string.h>

/* The line of the page that the data replace. */
#define MARK "\n@DATA@\n"

/* web/dist/page.html and a NUL. */
__asm__(".pushsection .rodata\n"
        "mpdata_page_html:\n"
        ".incbin \"profdata/report/web/dist/page.html\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char mpdata_page_html[] __attribute__((visibility("hidden")));

static enum mprof_err write_document(const struct mpdata_document *document,
                                     struct mpdata_sink *sink)
{
    struct mpdata_base64 base64;

    mpdata_base64_init(&base64, sink);
    struct mpdata_sink letters = mpdata_base64_sink(&base64);
    struct mpdata_gzip *gzip = mpdata_gzip_new(&letters);
    if (gzip == NULL)
        return MPROF_E_NOMEM;
    struct mpdata_sink packed = mpdata_gzip_sink(gzip);
    enum mprof_err err = mpdata_document_write(document, &packed);
    mpdata_gzip_finish(gzip);
    mpdata_base64_finish(&base64);
    return err;
}

enum mprof_err mpdata_page_write(const struct mpdata_document *document,
                                 struct mpdata_sink *sink)
{
    const char *const mark = strstr(mpdata_page_html, MARK);

    if (mark == NULL)
        return MPROF_E_UNSUPPORTED;
    mpdata_sink_bytes(sink, mpdata_page_html,
                      (size_t)(mark + 1 - mpdata_page_html));
    enum mprof_err err = write_document(document, sink);
    mpdata_sink_text(sink, mark + strlen(MARK) - 1);
    return err;
}
