/* swift_print.c -- what a mangled Swift name stands for, as Swift's own tools
 * spell it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/swift_node.h"

#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 100u

typedef const struct swift_node *node_ref;

struct printer {
    char *out;
    size_t size; /* of which one byte is for the end */
    size_t at;
    uint32_t depth;
    uint32_t steps_left; /* nodes are shared, so texts can grow without end */
    bool failed;
};

static void print_node(struct printer *p, node_ref node);

static void print_bytes(struct printer *p, const char *bytes, size_t size)
{
    if (p->failed || size >= p->size - p->at) {
        p->failed = true;
        return;
    }
    if (size != 0)
        memcpy(p->out + p->at, bytes, size);
    p->at += size;
}

static void print(struct printer *p, const char *text)
{
    print_bytes(p, text, strlen(text));
}

static void print_text(struct printer *p, struct swift_text text)
{
    print_bytes(p, text.bytes, text.size);
}

static void print_number(struct printer *p, uint32_t number)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", number);
    print(p, text);
}

static void print_children(struct printer *p, node_ref node,
                           const char *separator)
{
    for (uint32_t i = 0; i < node->count; i++) {
        print(p, i != 0 ? separator : "");
        print_node(p, node->children[i]);
    }
}

/* -- types ------------------------------------------------------------------- */

static bool is_arrow(node_ref type)
{
    return type->kind == SWIFT_ARROW || type->kind == SWIFT_GENERIC;
}

static void print_parenthesized(struct printer *p, node_ref type)
{
    const bool is_compound =
        is_arrow(type) || type->kind == SWIFT_MARKED ||
        (type->kind == SWIFT_PROTOCOLS && type->count + type->index > 1);

    print(p, is_compound ? "(" : "");
    print_node(p, type);
    print(p, is_compound ? ")" : "");
}

static bool is_swift_type(node_ref nominal, enum swift_kind kind,
                          const char *name)
{
    const node_ref context = nominal->children[SWIFT_CONTEXT];
    const node_ref own = nominal->children[SWIFT_NAME];

    return nominal->kind == kind && context->kind == SWIFT_MODULE &&
           swift_text_is(context->text, "Swift") &&
           own->kind == SWIFT_IDENTIFIER && swift_text_is(own->text, name);
}

static void print_bound(struct printer *p, node_ref node)
{
    const node_ref nominal = node->children[0];
    const node_ref list = node->children[1];

    if (list->count == 1 && is_swift_type(nominal, SWIFT_ENUM, "Optional")) {
        print_parenthesized(p, list->children[0]);
        print(p, "?");
        return;
    }
    if ((list->count == 1 && is_swift_type(nominal, SWIFT_STRUCT, "Array")) ||
        (list->count == 2 &&
         is_swift_type(nominal, SWIFT_STRUCT, "Dictionary"))) {
        print(p, "[");
        print_children(p, list, " : ");
        print(p, "]");
        return;
    }
    print_node(p, nominal);
    print(p, "<");
    print_children(p, list, ", ");
    print(p, ">");
}

static void print_label(struct printer *p, node_ref labels, uint32_t i)
{
    const node_ref label = labels->children[i];

    if (label->kind == SWIFT_IDENTIFIER)
        print_text(p, label->text);
    else
        print(p, "_");
    print(p, ": ");
}

static void print_parameters(struct printer *p, node_ref labels, node_ref takes)
{
    print(p, "(");
    if (takes->kind != SWIFT_TUPLE) {
        if (labels != NULL && labels->count == 1)
            print_label(p, labels, 0);
        print_node(p, takes);
    }
    for (uint32_t i = 0; takes->kind == SWIFT_TUPLE && i < takes->count; i++) {
        print(p, i != 0 ? ", " : "");
        if (labels != NULL && i < labels->count)
            print_label(p, labels, i);
        print_node(p, takes->children[i]);
    }
    print(p, ")");
}

static void print_arrow(struct printer *p, node_ref node, node_ref labels)
{
    const node_ref throws = node->children[SWIFT_ARROW_THROWS];
    const node_ref actor = node->children[SWIFT_ARROW_ACTOR];

    print_text(p, node->text);
    if (actor != NULL) {
        print(p, "@");
        print_node(p, actor->children[0]);
        print(p, " ");
    }
    if (node->children[SWIFT_ARROW_SENDABLE] != NULL)
        print(p, "@Sendable ");
    print_parameters(p, labels, node->children[SWIFT_ARROW_TAKES]);
    if (node->children[SWIFT_ARROW_ASYNC] != NULL)
        print(p, " async");
    if (throws != NULL)
        print(p, " throws");
    if (throws != NULL && throws->count != 0) {
        print(p, "(");
        print_node(p, throws->children[0]);
        print(p, ")");
    }
    print(p, " -> ");
    print_node(p, node->children[SWIFT_ARROW_GIVES]);
}

static void print_metatype(struct printer *p, node_ref node)
{
    const node_ref type = node->children[0];

    print_parenthesized(p, type);
    print(p, node->kind == SWIFT_METATYPE && (type->kind == SWIFT_PROTOCOLS ||
                                              type->kind == SWIFT_METATYPE_ANY)
                 ? ".Protocol"
                 : ".Type");
}

static void print_protocols(struct printer *p, node_ref node)
{
    print_children(p, node, " & ");
    if (node->index != 0)
        print(p, node->count != 0 ? " & Swift.AnyObject" : "Swift.AnyObject");
    else if (node->count == 0)
        print(p, "Any");
}

/* A to Z, AB to ZB, AC ...; after the first depth its number. */
static void print_parameter(struct printer *p, uint32_t depth, uint32_t index)
{
    do {
        const char letter = (char)('A' + index % 26);

        print_bytes(p, &letter, 1);
        index /= 26;
    } while (index != 0);
    if (depth != 0)
        print_number(p, depth);
}

static void print_counts(struct printer *p, node_ref counts)
{
    for (uint32_t depth = 0; depth < counts->count; depth++) {
        const uint32_t count = counts->children[depth]->index;

        print(p, depth != 0 ? "><" : "");
        for (uint32_t i = 0; i < count && !p->failed; i++) {
            print(p, i != 0 ? ", " : "");
            print_parameter(p, depth, i);
        }
    }
}

static void print_signature(struct printer *p, node_ref node)
{
    const node_ref requirements = node->children[1];

    print(p, "<");
    print_counts(p, node->children[0]);
    print(p, requirements->count != 0 ? " where " : "");
    print_children(p, requirements, ", ");
    print(p, ">");
}

static void print_pair(struct printer *p, node_ref node, const char *between)
{
    print_node(p, node->children[0]);
    print(p, between);
    print_node(p, node->children[1]);
}

static void print_generic(struct printer *p, node_ref node, node_ref labels)
{
    const node_ref type = node->children[1];

    print_node(p, node->children[0]);
    if (is_arrow(type) && type->kind == SWIFT_ARROW) {
        print_arrow(p, type, labels);
        return;
    }
    print(p, is_arrow(type) ? "" : " ");
    print_node(p, type);
}

static void print_element(struct printer *p, node_ref node)
{
    if (node->children[1] != NULL) {
        print_text(p, node->children[1]->text);
        print(p, ": ");
    }
    print_node(p, node->children[0]);
    print(p, node->index != 0 ? "..." : "");
}

/* -- entities ---------------------------------------------------------------- */

/* How an entity reads. */
struct spelling {
    struct swift_text extra; /* a word after, or in place of, its name */
    uint32_t number;
    bool has_number;
    bool has_name;
    bool has_type;
    bool is_call;      /* its type follows without a colon */
    const char *place; /* what stands before a context that comes last */
};

static bool has_space(struct swift_text text)
{
    return text.size != 0 && memchr(text.bytes, ' ', text.size) != NULL;
}

static void print_type_of(struct printer *p, node_ref entity,
                          const struct spelling *how, bool is_apart)
{
    const node_ref labels = entity->children[SWIFT_LABELS];
    const node_ref type = entity->children[SWIFT_TYPE];

    if (type == NULL)
        return;
    if (!how->is_call || !is_arrow(type))
        print(p, " : ");
    else if (is_apart)
        print(p, " ");
    if (type->kind == SWIFT_ARROW)
        print_arrow(p, type, labels);
    else if (type->kind == SWIFT_GENERIC)
        print_generic(p, type, labels);
    else
        print_node(p, type);
}

static node_ref print_entity(struct printer *p, node_ref entity,
                             bool as_context);

/* "context.name", or where either would not be readable so, "name in context".
 * As a context itself the latter is not printed but given back, to come last.
 */
static node_ref print_spelled(struct printer *p, node_ref entity,
                              bool as_context, const struct spelling *how)
{
    const node_ref context = entity->children[SWIFT_CONTEXT];
    const node_ref name = entity->children[SWIFT_NAME];
    const bool is_apart =
        has_space(how->extra) || (name != NULL && name->kind == SWIFT_LOCAL);
    node_ref last = NULL;
    size_t start = p->at;

    if (as_context && (how->has_type || is_apart))
        return entity;
    if (is_apart)
        last = context;
    else
        last = print_entity(p, context, true);
    print(p, p->at != start ? "." : "");
    start = p->at;
    if (how->has_name && name != NULL)
        print_node(p, name);
    print(p, p->at != start && how->extra.size != 0 ? "." : "");
    print_text(p, how->extra);
    if (how->has_number)
        print_number(p, how->number);
    if (how->has_type)
        print_type_of(p, entity, how, is_apart);
    if (as_context || last == NULL)
        return last;
    print(p, how->place);
    print_node(p, last);
    return NULL;
}

static node_ref print_accessor(struct printer *p, node_ref node,
                               bool as_context)
{
    const node_ref storage = node->children[0];
    struct spelling how = {.extra = node->text,
                           .has_name = true,
                           .has_type = true,
                           .place = " in "};
    char extra[64];

    if (storage->kind == SWIFT_SUBSCRIPT) {
        snprintf(extra, sizeof(extra), "subscript.%.*s", (int)node->text.size,
                 node->text.bytes);
        how.extra = (struct swift_text){.bytes = extra, .size = strlen(extra)};
        how.has_name = false;
    } else if (storage->kind != SWIFT_VARIABLE) {
        p->failed = true;
    }
    if (as_context)
        return node;
    return print_spelled(p, storage, false, &how);
}

/* Things that initialize are of their context, others in it. */
static const char *place_of(struct swift_text text)
{
    return swift_text_is(text, "default argument ") ||
                   swift_text_is(text, "variable initialization expression") ||
                   swift_text_is(text, "property wrapper backing initializer")
               ? " of "
               : " in ";
}

/* Any context; the rest of it that must come last, or NULL. */
static node_ref print_entity(struct printer *p, node_ref entity,
                             bool as_context)
{
    struct spelling how = {.place = " in "};

    switch (entity->kind) {
    case SWIFT_FUNCTION:
        how.has_name = how.has_type = how.is_call = true;
        break;
    case SWIFT_VARIABLE:
        how.has_name = how.has_type = true;
        break;
    case SWIFT_SUBSCRIPT:
        how.extra = (struct swift_text){.bytes = "subscript", .size = 9};
        how.has_type = how.is_call = true;
        break;
    case SWIFT_SPECIAL:
        how.extra = entity->text;
        how.has_name = true;
        how.has_type = how.is_call = entity->children[SWIFT_TYPE] != NULL;
        how.place = place_of(entity->text);
        break;
    case SWIFT_NUMBERED:
        how.extra = entity->text;
        how.has_number = true;
        how.number = entity->index;
        how.has_type = how.is_call = entity->children[SWIFT_TYPE] != NULL;
        how.place = place_of(entity->text);
        break;
    case SWIFT_ACCESSOR:
        return print_accessor(p, entity, as_context);
    case SWIFT_STATIC:
        if (as_context)
            return entity;
        print(p, "static ");
        return print_entity(p, entity->children[0], false);
    default:
        if (!swift_is_between(entity, SWIFT_TYPES, SWIFT_NOMINALS_END)) {
            print_node(p, entity);
            return NULL;
        }
        how.has_name = true;
    }
    return print_spelled(p, entity, as_context, &how);
}

static void print_name(struct printer *p, node_ref node)
{
    switch (node->kind) {
    case SWIFT_OPERATOR:
        print_text(p, node->text);
        print(p, node->index == 'i'   ? " infix"
                 : node->index == 'p' ? " prefix"
                                      : " postfix");
        break;
    case SWIFT_LOCAL:
        print_node(p, node->children[0]);
        print(p, " #");
        print_number(p, node->index + 1);
        break;
    case SWIFT_PRIVATE:
        print(p, "(");
        print_node(p, node->children[1]);
        print(p, " in ");
        print_text(p, node->children[0]->text);
        print(p, ")");
        break;
    case SWIFT_FILE:
        print(p, "(in ");
        print_text(p, node->children[0]->text);
        print(p, ")");
        break;
    default:
        print_text(p, node->text);
    }
}

static void print_extension(struct printer *p, node_ref node)
{
    print(p, "(extension in ");
    print_node(p, node->children[0]);
    print(p, "):");
    print_node(p, node->children[1]);
    if (node->children[2] != NULL)
        print_node(p, node->children[2]);
}

static void print_conformance(struct printer *p, node_ref node)
{
    print_node(p, node->children[0]);
    print(p, " : ");
    print_node(p, node->children[1]);
    print(p, " in ");
    print_node(p, node->children[2]);
}

/* -- all --------------------------------------------------------------------- */

/* long: one kind a line. */
static void print_kind(struct printer *p, node_ref node)
{
    switch (node->kind) {
    case SWIFT_EXTENSION:
        print_extension(p, node);
        break;
    case SWIFT_BOUND:
        print_bound(p, node);
        break;
    case SWIFT_TUPLE:
        print(p, "(");
        print_children(p, node, ", ");
        print(p, ")");
        break;
    case SWIFT_ARROW:
        print_arrow(p, node, NULL);
        break;
    case SWIFT_METATYPE:
    case SWIFT_METATYPE_ANY:
        print_metatype(p, node);
        break;
    case SWIFT_MARKED:
    case SWIFT_ABOUT:
        print_text(p, node->text);
        print_node(p, node->children[0]);
        break;
    case SWIFT_PARAMETER:
        print_parameter(p, node->depth, node->index);
        break;
    case SWIFT_MEMBER:
        print_pair(p, node, ".");
        break;
    case SWIFT_ASSOCIATION:
        if (node->children[1] != NULL) {
            print_node(p, node->children[1]);
            print(p, ".");
        }
        print_node(p, node->children[0]);
        break;
    case SWIFT_PROTOCOLS:
        print_protocols(p, node);
        break;
    case SWIFT_GENERIC:
        print_generic(p, node, NULL);
        break;
    case SWIFT_ELEMENT:
        print_element(p, node);
        break;
    case SWIFT_SIGNATURE:
        print_signature(p, node);
        break;
    case SWIFT_CONFORMS:
        print_pair(p, node, ": ");
        break;
    case SWIFT_EQUALS:
        print_pair(p, node, " == ");
        break;
    case SWIFT_IS_CLASS:
        print_node(p, node->children[0]);
        print(p, ": AnyObject");
        break;
    case SWIFT_CONFORMANCE:
        print_conformance(p, node);
        break;
    case SWIFT_WITNESS:
        print(p, "protocol witness for ");
        print_node(p, node->children[1]);
        print(p, " in conformance ");
        print_node(p, node->children[0]);
        break;
    case SWIFT_LAZY:
        print(p, "lazy protocol witness table accessor for type ");
        print_node(p, node->children[1]);
        print(p, " and conformance ");
        print_node(p, node->children[0]);
        break;
    default:
        print_name(p, node);
    }
}

static void print_node(struct printer *p, node_ref node)
{
    if (node == NULL || p->depth == DEPTH_MAX || p->steps_left == 0)
        p->failed = true;
    if (p->failed)
        return;
    p->depth++;
    p->steps_left--;
    if (swift_is_between(node, SWIFT_ENTITIES, SWIFT_ENTITIES_END) ||
        swift_is_between(node, SWIFT_TYPES, SWIFT_NOMINALS_END))
        print_entity(p, node, false);
    else
        print_kind(p, node);
    p->depth--;
}

static void print_changes(struct printer *p, node_ref node)
{
    print(p, "function signature specialization <");
    for (uint32_t i = 0; i < node->count; i++) {
        const node_ref argument = node->children[i];

        print(p, i != 0 ? ", " : "");
        if (argument->index == SWIFT_RESULT) {
            print(p, "Return");
        } else {
            print(p, "Arg[");
            print_number(p, argument->index);
            print(p, "]");
        }
        print(p, " = ");
        print_text(p, argument->text);
    }
    print(p, "> of ");
}

static void print_attribute(struct printer *p, node_ref node)
{
    if (node->kind == SWIFT_RESIGNED) {
        print_changes(p, node);
        return;
    }
    if (node->depth != 0) {
        print(p, "(");
        print_number(p, node->index);
        print(p, ") ");
    }
    print_text(p, node->text);
    if (node->kind != SWIFT_SPECIALIZED)
        return;
    print(p, " <");
    print_children(p, node->children[0], ", ");
    print(p, "> of ");
}

bool mpdata_swift_print(const struct swift_name *name, char *out, size_t size)
{
    struct printer p = {.out = out, .size = size, .steps_left = SWIFT_LINKS};

    for (uint32_t i = 0; i < name->attribute_count; i++)
        print_attribute(&p, name->attributes[i]);
    print_node(&p, name->root);
    if (name->suffix.size != 0) {
        print(&p, " with unmangled suffix \"");
        print_text(&p, name->suffix);
        print(&p, "\"");
    }
    if (!p.failed)
        out[p.at] = '\0';
    return !p.failed;
}
