/* privacy.c -- copies a profile row by row; changes what identifies machines or
 * names the program's parts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/transforms.h"
#include "profdata/base/guid.h"
#include "profdata/model/profile_store.h"
#include "shared/le.h"
#include "shared/tag_format.h"

#include <sha2.h> /* libmd */
#include <stdio.h>
#include <string.h>

/* -- HMAC-SHA-256 (RFC 2104) ------------------------------------------------ */

#define BLOCK_BYTES SHA256_BLOCK_LENGTH
#define INNER 0x36
#define OUTER 0x5c

/* Hashes that have taken up the key. */
struct keyed {
    SHA2_CTX inner;
    SHA2_CTX outer;
};

static void begin(SHA2_CTX *hash, const uint8_t key[BLOCK_BYTES], uint8_t pad)
{
    uint8_t block[BLOCK_BYTES];

    for (size_t i = 0; i < BLOCK_BYTES; i++)
        block[i] = key[i] ^ pad;
    SHA256Init(hash);
    SHA256Update(hash, block, sizeof(block));
}

static void take_key(struct keyed *keyed, const void *key, size_t key_bytes)
{
    uint8_t block[BLOCK_BYTES] = {0};
    SHA2_CTX hash;

    if (key_bytes > sizeof(block)) {
        SHA256Init(&hash);
        SHA256Update(&hash, key, key_bytes);
        SHA256Final(block, &hash);
    } else {
        memcpy(block, key, key_bytes);
    }
    begin(&keyed->inner, block, INNER);
    begin(&keyed->outer, block, OUTER);
}

/* Kinds of names: hashed with them, and the first character of the result. */
enum name {
    FUNCTION = 'f',
    PATH = 'p',
    TYPE = 't',
    OTHER = 'n',
    BUILD_ID = 'b'
};

static void hash_bytes(const struct keyed *keyed, enum name kind,
                       const void *bytes, size_t size,
                       uint8_t digest[SHA256_DIGEST_LENGTH])
{
    const uint8_t first = (uint8_t)kind;
    SHA2_CTX inner = keyed->inner;
    SHA2_CTX outer = keyed->outer;

    SHA256Update(&inner, &first, sizeof(first));
    SHA256Update(&inner, bytes, size);
    SHA256Final(digest, &inner);
    SHA256Update(&outer, digest, SHA256_DIGEST_LENGTH);
    SHA256Final(digest, &outer);
}

/* -- names ------------------------------------------------------------------ */

/* Of 80 bits, a million names have equal ones with a probability of 4e-13. */
#define HASH_BYTES 10
#define BUILD_ID_BYTES 20
#define HASH_TEXT_BYTES (sizeof("f_") + 2 * (size_t)HASH_BYTES)

static size_t format_hash(const struct keyed *keyed, enum name kind,
                          const void *bytes, size_t size,
                          char text[HASH_TEXT_BYTES])
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    size_t n = 0;

    hash_bytes(keyed, kind, bytes, size, digest);
    text[n++] = (char)kind;
    text[n++] = '_';
    for (size_t i = 0; i < HASH_BYTES; i++)
        n += (size_t)snprintf(text + n, HASH_TEXT_BYTES - n, "%02x", digest[i]);
    return n;
}

static struct mpdata_str text_of(const struct mpdata_profile *profile,
                                 mpdata_string id)
{
    return mpdata_profile_view(profile).strings[id];
}

static mpdata_string hash_name(const struct keyed *keyed,
                               struct mpdata_profile *into, enum name kind,
                               mpdata_string id)
{
    const struct mpdata_str was = text_of(into, id);
    char text[HASH_TEXT_BYTES];

    if (id == 0)
        return 0;
    return mpdata_profile_string(
        into, text, format_hash(keyed, kind, was.bytes, was.size, text));
}

static mpdata_string hash_build_id(const struct keyed *keyed,
                                   struct mpdata_profile *into,
                                   mpdata_string id)
{
    const struct mpdata_str text = text_of(into, id);
    uint8_t digest[SHA256_DIGEST_LENGTH];

    if (id == 0)
        return 0;
    hash_bytes(keyed, BUILD_ID, text.bytes, text.size, digest);
    return mpdata_profile_string(into, digest, BUILD_ID_BYTES);
}

/* -- rows ------------------------------------------------------------------- */

struct secrets {
    bool strips_paths;
    bool hashes; /* by *keyed */
    struct keyed keyed;
};

static void change_path(const struct secrets *s, struct mpdata_profile *into,
                        struct mpdata_path *path)
{
    if (s->hashes && strcmp(text_of(into, path->name).bytes, "/") != 0)
        path->name = hash_name(&s->keyed, into, PATH, path->name);
    /* Each component becomes a path; those of directories are not used. */
    if (s->strips_paths)
        path->parent = 0;
}

/* Names are hashed by GUID: LLVM's files have only that. */
static void hash_function(const struct keyed *keyed,
                          struct mpdata_profile *into,
                          struct mpdata_function *function)
{
    uint8_t guid[sizeof(function->guid)];
    char name[HASH_TEXT_BYTES];

    mprof_le_store(guid, function->guid, sizeof(guid));
    size_t size = format_hash(keyed, FUNCTION, guid, sizeof(guid), name);
    function->name = mpdata_profile_string(into, name, size);
    function->guid = mpdata_guid(name, size);
}

static void change_run(const struct secrets *s, struct mpdata_profile *into,
                       struct mpdata_run *run)
{
    run->options = 0;
    run->known_leaks = 0;
    if (s->hashes)
        run->host = hash_name(&s->keyed, into, OTHER, run->host);
    if (s->strips_paths) {
        run->host = 0;
        run->pid = 0;
    }
}

static void hash_row(const struct keyed *keyed, struct mpdata_profile *into,
                     enum mpdata_kind kind, void *row)
{
    struct mpdata_binary *const binary = row;
    struct mpdata_frame *const frame = row;
    struct mpdata_tagged *const tagged = row;
    mpdata_string *const mark = row;

    switch (kind) {
    case MPDATA_KIND_BINARY:
        binary->build_id = hash_build_id(keyed, into, binary->build_id);
        break;
    case MPDATA_KIND_FUNCTION:
        hash_function(keyed, into, (struct mpdata_function *)row);
        break;
    case MPDATA_KIND_FRAME:
        frame->type = hash_name(keyed, into, TYPE, frame->type);
        frame->type_fields = 0;
        break;
    case MPDATA_KIND_TAGGED:
        /* LEFT_OUT has names of options. */
        if (tagged->kind != MPROF_TAG_LEFT_OUT)
            tagged->name = hash_name(keyed, into, OTHER, tagged->name);
        break;
    case MPDATA_KIND_STRING:
        *mark = hash_name(keyed, into, OTHER, *mark);
        break;
    default:
        break;
    }
}

static void change_row(const void *context, struct mpdata_profile *into,
                       enum mpdata_kind kind, void *row)
{
    const struct secrets *const s = context;

    if (kind == MPDATA_KIND_PATH)
        change_path(s, into, (struct mpdata_path *)row);
    else if (kind == MPDATA_KIND_RUN)
        change_run(s, into, (struct mpdata_run *)row);
    else if (s->hashes)
        hash_row(&s->keyed, into, kind, row);
}

enum mprof_err mpdata_privacy_apply(const struct mpdata_privacy *privacy,
                                    struct mpdata_profile **profile)
{
    struct secrets secrets = {.strips_paths = privacy->strips_paths,
                              .hashes = privacy->key != NULL};
    const struct mpdata_profile_change change = {.row = change_row,
                                                 .context = &secrets};
    struct mpdata_profile *changed = mpdata_profile_new();

    if (changed == NULL)
        return MPROF_E_NOMEM;
    if (secrets.hashes)
        take_key(&secrets.keyed, privacy->key, privacy->key_bytes);
    enum mprof_err err =
        mpdata_profile_merge_changed(changed, *profile, &change);
    if (err == MPROF_E_OK)
        err = mpdata_profile_canonical_in_place(changed);
    explicit_bzero(&secrets, sizeof(secrets));
    if (err == MPROF_E_OK) {
        struct mpdata_profile *const was = *profile;

        *profile = changed;
        changed = was;
    }
    mpdata_profile_free(changed);
    return err;
}
