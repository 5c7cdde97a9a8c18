/* swift_node.h -- the tree that a mangled Swift name stands for: what
 * swift_read.c builds and swift_print.c spells.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SWIFT_NODE_H
#define MPDATA_SWIFT_NODE_H

#include "shared/base.h"

/* Names beyond any of these stay as they are. */
#define SWIFT_NAME_BYTES 4096u
#define SWIFT_NODES 4096u
#define SWIFT_LINKS 16384u
#define SWIFT_STACK 1024u
#define SWIFT_TEXT_BYTES 16384u

/* `children` by position; those in brackets may be NULL. */
enum swift_kind {
    /* Names. */
    SWIFT_IDENTIFIER,
    SWIFT_OPERATOR,  /* text; index: ' ' and the kind, in swift_print.c */
    SWIFT_LOCAL,     /* name; index */
    SWIFT_PRIVATE,   /* file, [name] */
    SWIFT_NAMES_END, /* what comes above is what a declaration may be called */
    SWIFT_FILE,      /* file: of a declaration without a name */
    SWIFT_MODULE,
    SWIFT_EXTENSION, /* module, type, [signature] */

    /* What only tells the next operator something. */
    SWIFT_EMPTY_LIST,
    SWIFT_FIRST,
    SWIFT_VARIADIC,
    SWIFT_THROWS, /* [type] */
    SWIFT_ASYNC,
    SWIFT_SENDABLE,
    SWIFT_ACTOR, /* type */

    /* Entities: see enum swift_slot. */
    SWIFT_ENTITIES,
    SWIFT_FUNCTION = SWIFT_ENTITIES,
    SWIFT_VARIABLE,
    SWIFT_SUBSCRIPT,
    SWIFT_SPECIAL,  /* text: init, deinit ... */
    SWIFT_NUMBERED, /* text: closure #, default argument ...; index */
    SWIFT_ACCESSOR, /* a variable or subscript; text */
    SWIFT_STATIC,   /* entity */
    SWIFT_ENTITIES_END,

    /* Types. */
    SWIFT_TYPES,
    SWIFT_CLASS = SWIFT_TYPES,
    SWIFT_STRUCT,
    SWIFT_ENUM,
    SWIFT_PROTOCOL,
    SWIFT_ALIAS,
    SWIFT_NOMINALS_END,
    SWIFT_BOUND,        /* nominal, list of arguments */
    SWIFT_WORD,         /* text: Builtin.Int32, Self, some */
    SWIFT_TUPLE,        /* elements */
    SWIFT_ARROW,        /* see enum swift_arrow; text: convention */
    SWIFT_METATYPE,     /* type */
    SWIFT_METATYPE_ANY, /* type: of an existential */
    SWIFT_MARKED,       /* type; text: inout ... */
    SWIFT_PARAMETER,    /* index and depth */
    SWIFT_MEMBER,       /* type, association */
    SWIFT_PROTOCOLS,    /* types; index: and AnyObject */
    SWIFT_GENERIC,      /* signature, type */
    SWIFT_TYPES_END,

    /* Parts. */
    SWIFT_LIST,        /* types, or labels */
    SWIFT_ELEMENT,     /* type, [name]; index: variadic */
    SWIFT_ASSOCIATION, /* name, [protocol] */
    SWIFT_SIGNATURE,   /* list of counts, list of requirements */
    SWIFT_COUNT,       /* index */
    SWIFT_CONFORMS,    /* type, type */
    SWIFT_EQUALS,      /* type, type */
    SWIFT_IS_CLASS,    /* type */
    SWIFT_CONFORMANCE, /* type, protocol, module */

    /* What the name is of, apart from entities and types. */
    SWIFT_ABOUT,       /* what; text in front of it */
    SWIFT_WITNESS,     /* conformance, entity */
    SWIFT_LAZY,        /* conformance, type: accessor of its witness table */
    SWIFT_ATTRIBUTE,   /* text in front of all; index: see swift_print.c */
    SWIFT_SPECIALIZED, /* list of types; text */
    SWIFT_RESIGNED,    /* list of SWIFT_ARGUMENT */
    SWIFT_ARGUMENT,    /* text; index: the number, or SWIFT_RESULT */
};

#define SWIFT_RESULT UINT32_MAX

enum swift_slot {
    SWIFT_CONTEXT,
    SWIFT_NAME,   /* may be NULL */
    SWIFT_LABELS, /* may be NULL */
    SWIFT_TYPE,   /* may be NULL */
    SWIFT_SLOTS,
};

enum swift_arrow {
    SWIFT_ARROW_ACTOR,
    SWIFT_ARROW_THROWS,
    SWIFT_ARROW_SENDABLE,
    SWIFT_ARROW_ASYNC,
    SWIFT_ARROW_TAKES, /* all before may be NULL */
    SWIFT_ARROW_GIVES,
    SWIFT_ARROW_SLOTS,
};

struct swift_text {
    const char *bytes;
    size_t size;
};

struct swift_node {
    uint8_t kind;
    uint32_t index;
    uint32_t depth;
    struct swift_text text;
    const struct swift_node *const *children;
    uint32_t count;
};

/* A name that is being read, and what came of it. */
struct swift_name {
    const char *at;
    const char *end;
    const struct swift_node *root;
    const struct swift_node *attributes[16]; /* outermost first */
    uint32_t attribute_count;
    struct swift_text suffix; /* that a compiler appended: ".cold" */

    struct swift_text words[26];
    uint32_t word_count;
    uint32_t node_count;
    uint32_t link_count;
    uint32_t stack_size;
    uint32_t known_count;
    uint32_t text_size;
    const struct swift_node *stack[SWIFT_STACK];
    const struct swift_node *known[SWIFT_NODES]; /* for substitutions */
    const struct swift_node *links[SWIFT_LINKS];
    struct swift_node nodes[SWIFT_NODES];
    char text[SWIFT_TEXT_BYTES];
};

/* Reads what follows a prefix; false where any of it is not understood. Of
 * *name nothing need be set. */
bool mpdata_swift_read(struct swift_name *name, const char *text);

/* Spells it into out[0..size); false where it does not fit. */
bool mpdata_swift_print(const struct swift_name *name, char *out, size_t size);

static inline bool swift_is_between(const struct swift_node *node,
                                    enum swift_kind first, enum swift_kind end)
{
    return node != NULL && node->kind >= first && node->kind < end;
}

static inline bool swift_is(const struct swift_node *node, enum swift_kind kind)
{
    return node != NULL && node->kind == kind;
}

static inline bool swift_is_type(const struct swift_node *node)
{
    return swift_is_between(node, SWIFT_TYPES, SWIFT_TYPES_END);
}

static inline bool swift_text_is(struct swift_text text, const char *word)
{
    size_t i = 0;

    while (i < text.size && word[i] != '\0' && word[i] == text.bytes[i])
        i++;
    return i == text.size && word[i] == '\0';
}

#endif
