/* swift_parse.h -- what the readers of Swift's names share: the text, and the
 * stack that operators take nodes from.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SWIFT_PARSE_H
#define MPDATA_SWIFT_PARSE_H

#include "profdata/symbols/swift_node.h"

#include <string.h>

/* What an operator made. */
struct swift_answer {
    /* False: it is none of those that make names and types. */
    bool is_known;
    const struct swift_node *node; /* NULL: the name is not understood */
};

/* Names, contexts, types and generics: swift_types.c. */
struct swift_answer mpdata_swift_type(struct swift_name *s, char c);
const struct swift_node *mpdata_swift_pop_module(struct swift_name *s);
const struct swift_node *mpdata_swift_pop_context(struct swift_name *s);
const struct swift_node *mpdata_swift_pop_protocol(struct swift_name *s);
const struct swift_node *mpdata_swift_pop_types(struct swift_name *s);
const struct swift_node *mpdata_swift_pop_arrow(struct swift_name *s,
                                                const char *convention);
/* Of the context on the stack; the others may be NULL. */
struct swift_node *mpdata_swift_entity(struct swift_name *s,
                                       enum swift_kind kind,
                                       const struct swift_node *name,
                                       const struct swift_node *labels,
                                       const struct swift_node *type);

#define SWIFT_LIST_MAX 128u

/* -- characters -------------------------------------------------------------- */

static inline char swift_peek(const struct swift_name *s)
{
    return s->at < s->end ? *s->at : '\0';
}

static inline char swift_next(struct swift_name *s)
{
    return s->at < s->end ? *s->at++ : '\0';
}

static inline bool swift_next_is(struct swift_name *s, char c)
{
    if (c == '\0' || swift_peek(s) != c)
        return false;
    s->at++;
    return true;
}

static inline bool swift_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool swift_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool swift_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool swift_read_natural(struct swift_name *s, uint32_t *value)
{
    uint32_t n = 0;

    if (!swift_is_digit(swift_peek(s)))
        return false;
    while (swift_is_digit(swift_peek(s))) {
        n = n * 10 + (uint32_t)(swift_next(s) - '0');
        if (n > SWIFT_NAME_BYTES)
            return false;
    }
    *value = n;
    return true;
}

/* "_" is 0, "0_" is 1. */
static inline bool swift_read_index(struct swift_name *s, uint32_t *value)
{
    *value = 0;
    if (swift_next_is(s, '_'))
        return true;
    if (!swift_read_natural(s, value) || !swift_next_is(s, '_'))
        return false;
    ++*value;
    return true;
}

/* -- nodes ------------------------------------------------------------------- */

/* `children` must not be NULL unless it may be; NULL without room. */
static inline struct swift_node *
swift_make_node(struct swift_name *s, enum swift_kind kind, uint32_t count)
{
    struct swift_node *node;

    if (s->node_count == SWIFT_NODES || count > SWIFT_LINKS - s->link_count)
        return NULL;
    node = &s->nodes[s->node_count++];
    *node = (struct swift_node){.kind = (uint8_t)kind,
                                .children = s->links + s->link_count,
                                .count = count};
    for (uint32_t i = 0; i < count; i++)
        s->links[s->link_count++] = NULL;
    return node;
}

static inline const struct swift_node *
swift_make_1(struct swift_name *s, enum swift_kind kind,
             const struct swift_node *child)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        child != NULL ? swift_make_node(s, kind, 1) : NULL;

    if (node != NULL)
        s->links[link] = child;
    return node;
}

/* The second may be NULL. */
static inline const struct swift_node *
swift_make_2(struct swift_name *s, enum swift_kind kind,
             const struct swift_node *first, const struct swift_node *second)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        first != NULL ? swift_make_node(s, kind, 2) : NULL;

    if (node == NULL)
        return NULL;
    s->links[link] = first;
    s->links[link + 1] = second;
    return node;
}

/* Where both are needed. */
static inline const struct swift_node *
swift_make_pair(struct swift_name *s, enum swift_kind kind,
                const struct swift_node *first, const struct swift_node *second)
{
    return second != NULL ? swift_make_2(s, kind, first, second) : NULL;
}

static inline const struct swift_node *swift_make_text(struct swift_name *s,
                                                       enum swift_kind kind,
                                                       struct swift_text text)
{
    struct swift_node *const node = swift_make_node(s, kind, 0);

    if (node != NULL)
        node->text = text;
    return node;
}

static inline struct swift_text swift_word(const char *text)
{
    return (struct swift_text){.bytes = text, .size = strlen(text)};
}

/* Text in front of a node. */
static inline const struct swift_node *
swift_make_marked(struct swift_name *s, enum swift_kind kind, const char *text,
                  const struct swift_node *child)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        child != NULL ? swift_make_node(s, kind, 1) : NULL;

    if (node == NULL)
        return NULL;
    s->links[link] = child;
    node->text = swift_word(text);
    return node;
}

/* The topmost `count` nodes as children, which stay in their order. */
static inline const struct swift_node *
swift_make_list(struct swift_name *s, enum swift_kind kind, uint32_t count)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node = swift_make_node(s, kind, count);

    if (node == NULL || count > s->stack_size)
        return NULL;
    s->stack_size -= count;
    for (uint32_t i = 0; i < count; i++)
        s->links[link + i] = s->stack[s->stack_size + i];
    return node;
}

static inline const struct swift_node *swift_top(const struct swift_name *s)
{
    return s->stack_size != 0 ? s->stack[s->stack_size - 1] : NULL;
}

static inline bool swift_push(struct swift_name *s,
                              const struct swift_node *node)
{
    if (node == NULL || s->stack_size == SWIFT_STACK)
        return false;
    s->stack[s->stack_size++] = node;
    return true;
}

/* The node on top if it is of a kind in [first, end), else NULL. */
static inline const struct swift_node *swift_pop_between(struct swift_name *s,
                                                         enum swift_kind first,
                                                         enum swift_kind end)
{
    const struct swift_node *const node = swift_top(s);

    if (!swift_is_between(node, first, end))
        return NULL;
    s->stack_size--;
    return node;
}

static inline const struct swift_node *swift_pop(struct swift_name *s,
                                                 enum swift_kind kind)
{
    return swift_pop_between(s, kind, kind + 1);
}

static inline const struct swift_node *swift_pop_type(struct swift_name *s)
{
    return swift_pop_between(s, SWIFT_TYPES, SWIFT_TYPES_END);
}

static inline const struct swift_node *swift_pop_nominal(struct swift_name *s)
{
    return swift_pop_between(s, SWIFT_TYPES, SWIFT_NOMINALS_END);
}

static inline const struct swift_node *swift_pop_entity(struct swift_name *s)
{
    return swift_pop_between(s, SWIFT_ENTITIES, SWIFT_ENTITIES_END);
}

static inline const struct swift_node *swift_pop_name(struct swift_name *s)
{
    return swift_pop_between(s, SWIFT_IDENTIFIER, SWIFT_NAMES_END);
}

/* Makes it something that later operators may refer to. */
static inline const struct swift_node *
swift_remember(struct swift_name *s, const struct swift_node *node)
{
    if (node == NULL || s->known_count == SWIFT_NODES)
        return NULL;
    s->known[s->known_count++] = node;
    return node;
}

#endif
