/* objects.c -- reads the objects of a virtual machine.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/json/json_in.h"
#include "profdata/objects/objects.h"
#include "shared/objects_format.h"

#include <string.h>

struct reader {
    struct mpdata_json_in in;
    struct mpdata_objects *objects;
    uint32_t largest; /* number in a reference */
};

#define X(NAME, name, text) #name,
static const char *const file_keys[] = {MPROF_OBJECTS_KEYS(X)};
static const char *const object_keys[] = {MPROF_OBJECT_KEYS(X)};
#undef X
#define X(NAME, name, text) KEY_##NAME,
enum { MPROF_OBJECTS_KEYS(X) };
enum { MPROF_OBJECT_KEYS(X) };
#undef X

/* A character up to U+00FF stands for the byte of the same number. Returns the
 * size of the bytes. */
static size_t decode(char *to, const struct mpdata_str *from)
{
    size_t n = 0;

    for (size_t i = 0; i < from->size; i++) {
        const unsigned c = (unsigned char)from->bytes[i];

        if ((c == 0xc2 || c == 0xc3) && i + 1 < from->size)
            to[n++] =
                (char)((c & 3) << 6 | ((unsigned char)from->bytes[++i] & 0x3f));
        else
            to[n++] = (char)c;
    }
    to[n] = '\0';
    return n;
}

/* Number of the next string. */
static uint32_t read_text(struct reader *r)
{
    struct mpdata_objects *const o = r->objects;
    const struct mpdata_str in = mpdata_json_in_string(&r->in);
    uint32_t number;

    if (r->in.err != MPROF_E_OK)
        return 0;
    number = mpdata_set_find(&o->texts, &in);
    if (number != 0)
        return number;
    char *const copy = mpdata_arena_alloc(&o->bytes, in.size + 1);
    if (copy != NULL) {
        memcpy(copy, in.bytes, in.size + 1);
        number = mpdata_set_add(
            &o->texts, &(struct mpdata_str){.bytes = copy, .size = in.size},
            NULL);
    }
    if (number == 0)
        mpdata_json_in_fail_memory(&r->in);
    return number;
}

static void read_refs(struct reader *r, struct mpdata_object *object,
                      bool is_weak)
{
    mpdata_json_in_array(&r->in);
    while (mpdata_json_in_item(&r->in)) {
        const uint32_t name = read_text(r);
        const uint32_t target =
            (uint32_t)mpdata_json_in_number(&r->in, INT32_MAX);
        struct mpdata_object_ref *const ref =
            mpdata_vec_push(&r->objects->refs);

        if (ref == NULL) {
            mpdata_json_in_fail_memory(&r->in);
            return;
        }
        *ref = (struct mpdata_object_ref){
            .name = name, .is_weak = is_weak, .target = target};
        object->count++;
        if (target > r->largest)
            r->largest = target;
    }
}

static void read_member(struct reader *r, struct mpdata_object *object,
                        size_t key)
{
    switch (key) {
    case KEY_TYPE:
        object->type = read_text(r);
        break;
    case KEY_ADDRESS:
        object->address = mpdata_json_in_number(&r->in, UINT64_MAX);
        break;
    case KEY_BYTES:
        object->bytes = mpdata_json_in_number(&r->in, UINT64_MAX);
        break;
    case KEY_ACCESSES:
        object->accesses = mpdata_json_in_number(&r->in, UINT64_MAX);
        break;
    case KEY_READS:
        object->reads = mpdata_json_in_number(&r->in, UINT64_MAX);
        object->has_reads = true;
        break;
    case KEY_IDLE_NS:
        object->idle_ns = mpdata_json_in_number(&r->in, UINT64_MAX);
        object->has_idle = r->objects->has_idle = true;
        break;
    case KEY_MADE:
        object->made = read_text(r);
        break;
    case KEY_TEXT:
        object->text = read_text(r);
        break;
    default:
        read_refs(r, object, key == KEY_WEAK);
    }
}

static void read_object(struct reader *r)
{
    struct mpdata_json_in_keys keys = {.first = object_keys,
                                       .stride = sizeof(object_keys[0]),
                                       .count = MPROF_ARRAY_LEN(object_keys)};
    struct mpdata_object object = {.first = r->objects->refs.count};
    struct mpdata_object *row;
    size_t key;

    mpdata_json_in_object(&r->in);
    while (mpdata_json_in_key(&r->in, &keys, &key))
        read_member(r, &object, key);
    mpdata_json_in_need(&r->in, &keys, UINT64_C(1) << KEY_TYPE);
    row = r->in.err == MPROF_E_OK ? mpdata_vec_push(&r->objects->rows) : NULL;
    if (row == NULL)
        mpdata_json_in_fail_memory(&r->in);
    else
        *row = object;
}

static void read_version(struct reader *r)
{
    const uint64_t version = mpdata_json_in_number(&r->in, UINT64_MAX);

    if (version == 0 || version > MPROF_OBJECTS_VERSION)
        mpdata_json_in_fail(&r->in, MPROF_E_VERSION, "version %s",
                            r->in.last.bytes);
}

static void read_key(struct reader *r, size_t key)
{
    switch (key) {
    case KEY_VERSION:
        read_version(r);
        break;
    case KEY_MACHINE:
        r->objects->machine = read_text(r);
        break;
    case KEY_USED_BYTES:
        r->objects->used_bytes = mpdata_json_in_number(&r->in, UINT64_MAX);
        break;
    case KEY_IS_COUNTED:
        r->objects->is_counted = mpdata_json_in_bool(&r->in);
        break;
    default:
        mpdata_json_in_array(&r->in);
        while (mpdata_json_in_item(&r->in))
            read_object(r);
    }
}

static void read_file(struct reader *r)
{
    struct mpdata_json_in_keys keys = {.first = file_keys,
                                       .stride = sizeof(file_keys[0]),
                                       .count = MPROF_ARRAY_LEN(file_keys)};
    size_t key;

    mpdata_json_in_object(&r->in);
    while (mpdata_json_in_key(&r->in, &keys, &key))
        read_key(r, key);
    mpdata_json_in_need(
        &r->in, &keys, UINT64_C(1) << KEY_VERSION | UINT64_C(1) << KEY_OBJECTS);
    if (r->objects->rows.count == 0)
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE, "there is no root");
    else if (r->largest >= r->objects->rows.count)
        mpdata_json_in_fail(&r->in, MPROF_E_VALUE,
                            "a reference to object %u of %u", r->largest,
                            r->objects->rows.count);
}

/* All texts are decoded at the end, when no key is looked up any more. */
static void decode_texts(struct mpdata_objects *o)
{
    struct mpdata_str *const texts = o->texts.rows.data;

    for (uint32_t i = 0; i < o->texts.rows.count; i++)
        texts[i].size = decode((char *)(uintptr_t)texts[i].bytes, &texts[i]);
}

enum mprof_err mpdata_objects_read(struct mpdata_objects *objects,
                                   const void *data, size_t size,
                                   struct mprof_diag *diag)
{
    struct reader r = {.objects = objects};

    *objects = (struct mpdata_objects){
        .rows = {.elem_bytes = sizeof(struct mpdata_object)},
        .refs = {.elem_bytes = sizeof(struct mpdata_object_ref)}};
    mpdata_set_init(&objects->texts, MPDATA_SET_BY_TEXT,
                    sizeof(struct mpdata_str));
    mpdata_json_in_open(&r.in, data, size, diag);
    if (mpdata_vec_reserve(&objects->refs, 1)) /* so that it has an address */
        read_file(&r);
    else
        mpdata_json_in_fail_memory(&r.in);
    mpdata_json_in_close(&r.in);
    decode_texts(objects);
    return r.in.err;
}

void mpdata_objects_fini(struct mpdata_objects *objects)
{
    mpdata_vec_fini(&objects->rows);
    mpdata_vec_fini(&objects->refs);
    mpdata_set_fini(&objects->texts);
    mpdata_arena_fini(&objects->bytes);
}

const char *mpdata_objects_text(const struct mpdata_objects *objects,
                                uint32_t text)
{
    const struct mpdata_str *const texts = objects->texts.rows.data;

    return text != 0 ? texts[text - 1].bytes : "";
}
