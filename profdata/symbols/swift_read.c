/* swift_read.c -- Swift's mangled names: operators in postfix order, which take
 * nodes from a stack and put one there. What is not understood ends it, for a
 * name that is half right misleads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/swift_parse.h"

typedef const struct swift_node *node_ref;

/* -- entities ---------------------------------------------------------------- */

static node_ref get_arrow(node_ref type)
{
    while (swift_is(type, SWIFT_GENERIC))
        type = type->children[1];
    return swift_is(type, SWIFT_ARROW) ? type : NULL;
}

/* One label for each parameter of a function's type. No list of them means
 * that none has one; false where the name is wrong. */
static bool pop_labels(struct swift_name *s, node_ref type, node_ref *labels)
{
    const node_ref arrow = get_arrow(type);
    const node_ref empty = swift_make_node(s, SWIFT_LIST, 0);
    node_ref takes;
    uint32_t count;

    *labels = NULL;
    if (empty == NULL)
        return false;
    if (swift_pop(s, SWIFT_EMPTY_LIST) != NULL) {
        *labels = empty;
        return true;
    }
    if (arrow == NULL)
        return true;
    takes = arrow->children[SWIFT_ARROW_TAKES];
    count = takes->kind == SWIFT_TUPLE ? takes->count : 1;
    if (count == 0)
        return true;
    if (count > s->stack_size)
        return false;
    for (uint32_t i = 1; i <= count; i++) {
        const node_ref label = s->stack[s->stack_size - i];

        if (label->kind != SWIFT_IDENTIFIER && label->kind != SWIFT_FIRST)
            return false;
    }
    *labels = swift_make_list(s, SWIFT_LIST, count);
    return *labels != NULL;
}

static node_ref read_function(struct swift_name *s)
{
    const node_ref signature = swift_pop(s, SWIFT_SIGNATURE);
    node_ref type = mpdata_swift_pop_arrow(s, "");
    node_ref labels;
    node_ref name;

    if (type == NULL || !pop_labels(s, type, &labels))
        return NULL;
    if (signature != NULL)
        type = swift_make_2(s, SWIFT_GENERIC, signature, type);
    name = swift_pop_name(s);
    return type != NULL && name != NULL
               ? mpdata_swift_entity(s, SWIFT_FUNCTION, name, labels, type)
               : NULL;
}

static const char *read_accessor_name(struct swift_name *s)
{
    switch (swift_next(s)) {
    case 'g':
        return "getter";
    case 's':
        return "setter";
    case 'w':
        return "willset";
    case 'W':
        return "didset";
    case 'r':
        return "read";
    case 'M':
        return "modify";
    case 'm':
        return "materializeForSet";
    case 'a':
        return swift_next_is(s, 'u') ? "unsafeMutableAddressor" : NULL;
    case 'l':
        return swift_next_is(s, 'u') ? "unsafeAddressor" : NULL;
    default:
        return NULL;
    }
}

static node_ref read_accessor(struct swift_name *s, node_ref storage)
{
    const char *name;

    if (swift_next_is(s, 'p'))
        return storage;
    name = read_accessor_name(s);
    return name != NULL ? swift_make_marked(s, SWIFT_ACCESSOR, name, storage)
                        : NULL;
}

static node_ref read_variable(struct swift_name *s)
{
    const node_ref type = swift_pop_type(s);
    node_ref labels;
    node_ref name;

    if (type == NULL || !pop_labels(s, type, &labels))
        return NULL;
    name = swift_pop_name(s);
    return name != NULL
               ? read_accessor(s, mpdata_swift_entity(s, SWIFT_VARIABLE, name,
                                                      labels, type))
               : NULL;
}

static node_ref read_subscript(struct swift_name *s)
{
    const node_ref file = swift_pop(s, SWIFT_FILE);
    const node_ref type = swift_pop_type(s);
    node_ref labels;

    if (file != NULL || type == NULL || !pop_labels(s, type, &labels))
        return NULL;
    return read_accessor(
        s, mpdata_swift_entity(s, SWIFT_SUBSCRIPT, NULL, labels, type));
}

static struct swift_node *make_special(struct swift_name *s, const char *text)
{
    struct swift_node *const node =
        mpdata_swift_entity(s, SWIFT_SPECIAL, NULL, NULL, NULL);

    if (node != NULL)
        node->text = swift_word(text);
    return node;
}

static node_ref read_init(struct swift_name *s, bool allocates)
{
    const node_ref file = swift_pop(s, SWIFT_FILE);
    const node_ref type = swift_pop_type(s);
    struct swift_node *node;
    node_ref labels;

    if (get_arrow(type) == NULL || !pop_labels(s, type, &labels))
        return NULL;
    node = mpdata_swift_entity(s, SWIFT_SPECIAL, allocates ? NULL : file,
                               labels, type);
    if (node == NULL)
        return NULL;
    node->text = swift_word(allocates && node->children[SWIFT_CONTEXT]->kind ==
                                             SWIFT_CLASS
                                ? "__allocating_init"
                                : "init");
    return node;
}

static node_ref read_numbered(struct swift_name *s, const char *text,
                              bool is_typed)
{
    struct swift_node *node;
    uint32_t index;
    node_ref type;

    if (!swift_read_index(s, &index))
        return NULL;
    type = is_typed ? swift_pop_type(s) : NULL;
    if (is_typed && type == NULL)
        return NULL;
    node = mpdata_swift_entity(s, SWIFT_NUMBERED, NULL, NULL, type);
    if (node == NULL)
        return NULL;
    node->text = swift_word(text);
    node->index = index + is_typed;
    return node;
}

/* After 'f'. */
static node_ref read_function_entity(struct swift_name *s)
{
    struct swift_node *node;

    switch (swift_next(s)) {
    case 'C':
        return read_init(s, true);
    case 'c':
        return read_init(s, false);
    case 'D':
        node = make_special(s, "__deallocating_deinit");
        if (node != NULL && node->children[SWIFT_CONTEXT]->kind != SWIFT_CLASS)
            node->text = swift_word("deinit");
        return node;
    case 'd':
        return make_special(s, "deinit");
    case 'E':
        return make_special(s, "__ivar_destroyer");
    case 'e':
        return make_special(s, "__ivar_initializer");
    case 'i':
        return make_special(s, "variable initialization expression");
    case 'P':
        return make_special(s, "property wrapper backing initializer");
    case 'U':
        return read_numbered(s, "closure #", true);
    case 'u':
        return read_numbered(s, "implicit closure #", true);
    case 'A':
        return read_numbered(s, "default argument ", false);
    default:
        return NULL;
    }
}

/* -- what is done with entities ---------------------------------------------- */

static node_ref pop_conformance(struct swift_name *s)
{
    const node_ref signature = swift_pop(s, SWIFT_SIGNATURE);
    const node_ref module = mpdata_swift_pop_module(s);
    const node_ref protocol =
        module != NULL ? mpdata_swift_pop_protocol(s) : NULL;
    node_ref type = protocol != NULL ? swift_pop_type(s) : NULL;
    const uint32_t link = s->link_count;
    struct swift_node *node;

    if (type == NULL)
        return NULL;
    node = swift_make_node(s, SWIFT_CONFORMANCE, 3);
    if (node == NULL)
        return NULL;
    if (signature != NULL)
        type = swift_make_2(s, SWIFT_GENERIC, signature, type);
    s->links[link] = type;
    s->links[link + 1] = protocol;
    s->links[link + 2] = module;
    return type != NULL ? node : NULL;
}

static struct swift_node *make_attribute(struct swift_name *s, const char *text)
{
    struct swift_node *const node = swift_make_node(s, SWIFT_ATTRIBUTE, 0);

    if (node != NULL)
        node->text = swift_word(text);
    return node;
}

static node_ref read_resumption(struct swift_name *s, const char *text)
{
    struct swift_node *const node = make_attribute(s, text);

    if (node == NULL || !swift_read_index(s, &node->index))
        return NULL;
    node->depth = 1; /* the index is told */
    return node;
}

/* The number of the compiler's pass. */
static bool read_pass(struct swift_name *s)
{
    (void)swift_next_is(s, 'm');
    return swift_peek(s) != 'q' && swift_is_digit(swift_next(s));
}

static node_ref read_specialization(struct swift_name *s, const char *text)
{
    const uint32_t link = s->link_count;
    struct swift_node *node = swift_make_node(s, SWIFT_SPECIALIZED, 1);

    if (node == NULL || !read_pass(s))
        return NULL;
    s->links[link] = mpdata_swift_pop_types(s);
    node->text = swift_word(text);
    return node->children[0] != NULL ? node : NULL;
}

/* What was done to one argument, as a text; NULL where not understood. */
static const char *read_argument(struct swift_name *s)
{
    static const struct {
        const char *letters;
        const char *text;
    } changes[] = {
        {"n", ""},
        {"dGX", "Dead and Owned To Guaranteed and Exploded"},
        {"dOX", "Dead and Guaranteed To Owned and Exploded"},
        {"dG", "Dead and Owned To Guaranteed"},
        {"dO", "Dead and Guaranteed To Owned"},
        {"dX", "Dead and Exploded"},
        {"d", "Dead"},
        {"gX", "Owned To Guaranteed and Exploded"},
        {"g", "Owned To Guaranteed"},
        {"oX", "Guaranteed To Owned and Exploded"},
        {"o", "Guaranteed To Owned"},
        {"x", "Exploded"},
        {"i", "Value Promoted from Box"},
        {"s", "Stack Promoted from Box"},
    };

    for (size_t i = 0; i < MPROF_ARRAY_LEN(changes); i++) {
        const size_t size = strlen(changes[i].letters);

        if (size <= (size_t)(s->end - s->at) &&
            memcmp(s->at, changes[i].letters, size) == 0) {
            s->at += size;
            return changes[i].text;
        }
    }
    return NULL;
}

static bool add_argument(struct swift_name *s, node_ref *arguments,
                         uint32_t *count, uint32_t index)
{
    const char *const text = read_argument(s);
    struct swift_node *node;

    if (text == NULL || *count == SWIFT_LIST_MAX)
        return false;
    if (text[0] == '\0')
        return true;
    node = swift_make_node(s, SWIFT_ARGUMENT, 0);
    if (node == NULL)
        return false;
    node->text = swift_word(text);
    node->index = index;
    arguments[(*count)++] = node;
    return true;
}

/* After "Tf": only changes that need no further names. */
static node_ref read_signature_change(struct swift_name *s)
{
    node_ref arguments[SWIFT_LIST_MAX];
    uint32_t count = 0;
    struct swift_node *node;
    uint32_t link;

    if (!read_pass(s))
        return NULL;
    for (uint32_t i = 0; !swift_next_is(s, '_'); i++) {
        if (!add_argument(s, arguments, &count, i))
            return NULL;
    }
    if (!add_argument(s, arguments, &count, SWIFT_RESULT))
        return NULL;
    link = s->link_count;
    node = swift_make_node(s, SWIFT_RESIGNED, count);
    for (uint32_t i = 0; node != NULL && i < count; i++)
        s->links[link + i] = arguments[i];
    return node;
}

/* After 'T'. */
static node_ref read_thunk(struct swift_name *s)
{
    node_ref entity;

    switch (swift_next(s)) {
    case 'A':
        return make_attribute(s, "partial apply forwarder for ");
    case 'a':
        return make_attribute(s, "partial apply ObjC forwarder for ");
    case 'B':
    case 'g':
        return read_specialization(s, "generic specialization");
    case 'G':
        return read_specialization(s,
                                   "generic not re-abstracted specialization");
    case 'c':
        return swift_make_marked(s, SWIFT_ABOUT, "curry thunk of ",
                                 swift_pop_entity(s));
    case 'D':
        return make_attribute(s, "dynamic ");
    case 'f':
        return read_signature_change(s);
    case 'j':
        return swift_make_marked(s, SWIFT_ABOUT, "dispatch thunk of ",
                                 swift_pop_entity(s));
    case 'm':
        return make_attribute(s, "merged ");
    case 'O':
        return make_attribute(s, "@nonobjc ");
    case 'o':
        return make_attribute(s, "@objc ");
    case 'Q':
        return read_resumption(s, "await resume partial function for ");
    case 'Y':
        return read_resumption(s, "suspend resume partial function for ");
    case 'W':
        entity = swift_pop_entity(s);
        return entity != NULL
                   ? swift_make_2(s, SWIFT_WITNESS, pop_conformance(s), entity)
                   : NULL;
    default:
        return NULL;
    }
}

/* After 'M'. */
static node_ref read_metadata(struct swift_name *s)
{
    switch (swift_next(s)) {
    case 'a':
        return swift_make_marked(s, SWIFT_ABOUT, "type metadata accessor for ",
                                 swift_pop_type(s));
    case 'i':
        return swift_make_marked(s, SWIFT_ABOUT,
                                 "type metadata instantiation function for ",
                                 swift_pop_nominal(s));
    case 'r':
        return swift_make_marked(s, SWIFT_ABOUT,
                                 "type metadata completion function for ",
                                 swift_pop_nominal(s));
    default:
        return NULL;
    }
}

/* After "WO". */
static node_ref read_outlined(struct swift_name *s)
{
    static const struct {
        char letter;
        const char *text;
    } kinds[] = {
        {'y', "outlined copy of "},
        {'e', "outlined consume of "},
        {'r', "outlined retain of "},
        {'s', "outlined release of "},
        {'b', "outlined init with take of "},
        {'c', "outlined init with copy of "},
        {'d', "outlined assign with take of "},
        {'f', "outlined assign with copy of "},
        {'h', "outlined destroy of "},
    };
    const char c = swift_next(s);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(kinds); i++) {
        if (kinds[i].letter == c)
            return swift_make_marked(s, SWIFT_ABOUT, kinds[i].text,
                                     swift_pop_type(s));
    }
    return NULL;
}

/* The only name of what is initialized at once. */
static node_ref read_once(struct swift_name *s)
{
    const node_ref name =
        swift_pop(s, SWIFT_FIRST) != NULL ? swift_pop_name(s) : NULL;

    if (name == NULL || swift_is(swift_top(s), SWIFT_FIRST) ||
        mpdata_swift_pop_context(s) == NULL)
        return NULL;
    return swift_make_marked(s, SWIFT_ABOUT,
                             "one-time initialization function for ", name);
}

/* After 'W'. */
static node_ref read_witness(struct swift_name *s)
{
    node_ref conformance;

    switch (swift_next(s)) {
    case 'l':
        conformance = pop_conformance(s);
        return swift_make_pair(s, SWIFT_LAZY, conformance, swift_pop_type(s));
    case 'O':
        return read_outlined(s);
    case 'Z':
        return read_once(s);
    default:
        return NULL;
    }
}

/* After 'w'. */
static node_ref read_value_witness(struct swift_name *s)
{
    static const char *const kinds[][2] = {
        {"al", "allocateBuffer value witness for "},
        {"ca", "assignWithCopy value witness for "},
        {"ta", "assignWithTake value witness for "},
        {"de", "deallocateBuffer value witness for "},
        {"xx", "destroy value witness for "},
        {"XX", "destroyBuffer value witness for "},
        {"Xx", "destroyArray value witness for "},
        {"CP", "initializeBufferWithCopyOfBuffer value witness for "},
        {"Cp", "initializeBufferWithCopy value witness for "},
        {"cp", "initializeWithCopy value witness for "},
        {"tk", "initializeWithTake value witness for "},
        {"pr", "projectBuffer value witness for "},
    };
    const char first = swift_next(s);
    const char second = swift_next(s);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(kinds); i++) {
        if (kinds[i][0][0] == first && kinds[i][0][1] == second)
            return swift_make_marked(s, SWIFT_ABOUT, kinds[i][1],
                                     swift_pop_type(s));
    }
    return NULL;
}

/* -- all --------------------------------------------------------------------- */

static node_ref read_next(struct swift_name *s)
{
    const char c = swift_next(s);
    const struct swift_answer answer = mpdata_swift_type(s, c);

    if (answer.is_known)
        return answer.node;
    switch (c) {
    case 'F':
        return read_function(s);
    case 'M':
        return read_metadata(s);
    case 'T':
        return read_thunk(s);
    case 'W':
        return read_witness(s);
    case 'Z':
        return swift_make_1(s, SWIFT_STATIC, swift_pop_entity(s));
    case 'f':
        return read_function_entity(s);
    case 'i':
        return read_subscript(s);
    case 'v':
        return read_variable(s);
    case 'w':
        return read_value_witness(s);
    default:
        return NULL;
    }
}

/* One thing, with what was done to it above it on the stack. */
static bool find_root(struct swift_name *s)
{
    while (
        swift_is_between(swift_top(s), SWIFT_ATTRIBUTE, SWIFT_RESIGNED + 1)) {
        if (s->attribute_count == MPROF_ARRAY_LEN(s->attributes))
            return false;
        s->attributes[s->attribute_count++] = s->stack[--s->stack_size];
    }
    s->root = swift_top(s);
    return s->stack_size == 1 &&
           (swift_is_type(s->root) ||
            swift_is_between(s->root, SWIFT_ENTITIES, SWIFT_ENTITIES_END) ||
            swift_is_between(s->root, SWIFT_ABOUT, SWIFT_LAZY + 1));
}

bool mpdata_swift_read(struct swift_name *name, const char *text)
{
    const char *const dot = strchr(text, '.');
    const size_t size = strlen(text);

    if (size > SWIFT_NAME_BYTES)
        return false;
    name->at = text;
    name->end = dot != NULL ? dot : text + size;
    name->suffix = (struct swift_text){
        .bytes = name->end, .size = (size_t)(text + size - name->end)};
    name->attribute_count = name->word_count = name->node_count = 0;
    name->link_count = name->stack_size = name->known_count = 0;
    name->text_size = 0;
    while (name->at < name->end) {
        if (!swift_push(name, read_next(name)))
            return false;
    }
    return find_root(name);
}
