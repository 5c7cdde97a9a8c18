/* swift_read.c -- Swift's mangled names: operators in postfix order, which take
 * nodes from a stack and put one there. What is not understood ends it, for a
 * name that is half right misleads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/swift_node.h"

#include <string.h>

typedef const struct swift_node *node_ref;

/* -- characters -------------------------------------------------------------- */

static char peek(const struct swift_name *s)
{
    return s->at < s->end ? *s->at : '\0';
}

static char next(struct swift_name *s)
{
    return s->at < s->end ? *s->at++ : '\0';
}

static bool next_is(struct swift_name *s, char c)
{
    if (c == '\0' || peek(s) != c)
        return false;
    s->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool read_natural(struct swift_name *s, uint32_t *value)
{
    uint32_t n = 0;

    if (!is_digit(peek(s)))
        return false;
    while (is_digit(peek(s))) {
        n = n * 10 + (uint32_t)(next(s) - '0');
        if (n > SWIFT_NAME_BYTES)
            return false;
    }
    *value = n;
    return true;
}

/* "_" is 0, "0_" is 1. */
static bool read_index(struct swift_name *s, uint32_t *value)
{
    *value = 0;
    if (next_is(s, '_'))
        return true;
    if (!read_natural(s, value) || !next_is(s, '_'))
        return false;
    ++*value;
    return true;
}

/* -- nodes ------------------------------------------------------------------- */

/* `children` must not be NULL unless it may be; NULL without room. */
static struct swift_node *make_node(struct swift_name *s, enum swift_kind kind,
                                    uint32_t count)
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

static node_ref make_1(struct swift_name *s, enum swift_kind kind,
                       node_ref child)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        child != NULL ? make_node(s, kind, 1) : NULL;

    if (node != NULL)
        s->links[link] = child;
    return node;
}

/* The second may be NULL. */
static node_ref make_2(struct swift_name *s, enum swift_kind kind,
                       node_ref first, node_ref second)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        first != NULL ? make_node(s, kind, 2) : NULL;

    if (node == NULL)
        return NULL;
    s->links[link] = first;
    s->links[link + 1] = second;
    return node;
}

/* Where both are needed. */
static node_ref make_pair(struct swift_name *s, enum swift_kind kind,
                          node_ref first, node_ref second)
{
    return second != NULL ? make_2(s, kind, first, second) : NULL;
}

static node_ref make_text(struct swift_name *s, enum swift_kind kind,
                          struct swift_text text)
{
    struct swift_node *const node = make_node(s, kind, 0);

    if (node != NULL)
        node->text = text;
    return node;
}

static struct swift_text word(const char *text)
{
    return (struct swift_text){.bytes = text, .size = strlen(text)};
}

/* Text in front of a node. */
static node_ref make_marked(struct swift_name *s, enum swift_kind kind,
                            const char *text, node_ref child)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        child != NULL ? make_node(s, kind, 1) : NULL;

    if (node == NULL)
        return NULL;
    s->links[link] = child;
    node->text = word(text);
    return node;
}

/* The topmost `count` nodes as children, which stay in their order. */
static node_ref make_list(struct swift_name *s, enum swift_kind kind,
                          uint32_t count)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node = make_node(s, kind, count);

    if (node == NULL || count > s->stack_size)
        return NULL;
    s->stack_size -= count;
    for (uint32_t i = 0; i < count; i++)
        s->links[link + i] = s->stack[s->stack_size + i];
    return node;
}

static node_ref top(const struct swift_name *s)
{
    return s->stack_size != 0 ? s->stack[s->stack_size - 1] : NULL;
}

static bool push(struct swift_name *s, node_ref node)
{
    if (node == NULL || s->stack_size == SWIFT_STACK)
        return false;
    s->stack[s->stack_size++] = node;
    return true;
}

/* The node on top if it is of a kind in [first, end), else NULL. */
static node_ref pop_between(struct swift_name *s, enum swift_kind first,
                            enum swift_kind end)
{
    const node_ref node = top(s);

    if (!swift_is_between(node, first, end))
        return NULL;
    s->stack_size--;
    return node;
}

static node_ref pop(struct swift_name *s, enum swift_kind kind)
{
    return pop_between(s, kind, kind + 1);
}

static node_ref pop_type(struct swift_name *s)
{
    return pop_between(s, SWIFT_TYPES, SWIFT_TYPES_END);
}

static node_ref pop_nominal(struct swift_name *s)
{
    return pop_between(s, SWIFT_TYPES, SWIFT_NOMINALS_END);
}

static node_ref pop_entity(struct swift_name *s)
{
    return pop_between(s, SWIFT_ENTITIES, SWIFT_ENTITIES_END);
}

static node_ref pop_name(struct swift_name *s)
{
    return pop_between(s, SWIFT_IDENTIFIER, SWIFT_NAMES_END);
}

/* Makes it something that later operators may refer to. */
static node_ref remember(struct swift_name *s, node_ref node)
{
    if (node == NULL || s->known_count == SWIFT_NODES)
        return NULL;
    s->known[s->known_count++] = node;
    return node;
}

/* -- names and contexts ------------------------------------------------------ */

static bool starts_word(char c)
{
    return c != '\0' && c != '_' && !is_digit(c);
}

static bool ends_word(char c, char before)
{
    return c == '\0' || c == '_' || (!is_upper(before) && is_upper(c));
}

/* The words of identifiers, which later ones are put together from. */
static void remember_words(struct swift_name *s, struct swift_text text)
{
    size_t start = SIZE_MAX;

    for (size_t i = 0; i <= text.size; i++) {
        const char c = i < text.size ? text.bytes[i] : '\0';

        if (start != SIZE_MAX && ends_word(c, text.bytes[i - 1])) {
            if (i - start >= 2 && s->word_count < MPROF_ARRAY_LEN(s->words))
                s->words[s->word_count++] = (struct swift_text){
                    .bytes = text.bytes + start, .size = i - start};
            start = SIZE_MAX;
        }
        if (start == SIZE_MAX && starts_word(c))
            start = i;
    }
}

static bool append_text(struct swift_name *s, struct swift_text text)
{
    if (text.size > SWIFT_TEXT_BYTES - s->text_size)
        return false;
    memcpy(s->text + s->text_size, text.bytes, text.size);
    s->text_size += (uint32_t)text.size;
    return true;
}

/* Words by their letters; a capital is the last one. */
static bool append_words(struct swift_name *s, bool *more)
{
    while (*more && (is_lower(peek(s)) || is_upper(peek(s)))) {
        const char c = next(s);
        const uint32_t n = (uint32_t)(c - (is_lower(c) ? 'a' : 'A'));

        *more = is_lower(c);
        if (n >= s->word_count || !append_text(s, s->words[n]))
            return false;
    }
    return true;
}

/* A length and so many bytes; "0" where words make up the rest. Names beyond
 * ASCII ("00") are not understood. */
static node_ref read_identifier(struct swift_name *s)
{
    const uint32_t start = s->text_size;
    bool has_words = next_is(s, '0');

    if (has_words && peek(s) == '0')
        return NULL;
    do {
        struct swift_text text = {.bytes = NULL, .size = 0};
        uint32_t size;

        if (!append_words(s, &has_words))
            return NULL;
        if (next_is(s, '0'))
            break;
        if (!read_natural(s, &size) || size == 0 ||
            size > (size_t)(s->end - s->at))
            return NULL;
        text = (struct swift_text){.bytes = s->at, .size = size};
        if (!append_text(s, text))
            return NULL;
        remember_words(s, text);
        s->at += size;
    } while (has_words);
    if (s->text_size == start)
        return NULL;
    return remember(
        s, make_text(s, SWIFT_IDENTIFIER,
                     (struct swift_text){.bytes = s->text + start,
                                         .size = s->text_size - start}));
}

static node_ref read_operator(struct swift_name *s)
{
    static const char symbols[] = "& @/= >    <*!|+?%-~   ^ .";
    const node_ref name = pop(s, SWIFT_IDENTIFIER);
    const uint32_t start = s->text_size;
    struct swift_node *node;

    if (name == NULL || !append_text(s, name->text))
        return NULL;
    for (uint32_t i = start; i < s->text_size; i++) {
        const char c = s->text[i];

        if (!is_lower(c) || symbols[c - 'a'] == ' ')
            return NULL;
        s->text[i] = symbols[c - 'a'];
    }
    node = make_node(s, SWIFT_OPERATOR, 0);
    if (node == NULL)
        return NULL;
    node->text = (struct swift_text){.bytes = s->text + start,
                                     .size = s->text_size - start};
    node->index = (uint32_t)next(s);
    return strchr("ipP", (int)node->index) != NULL && node->index != 0 ? node
                                                                       : NULL;
}

static node_ref read_local(struct swift_name *s)
{
    const uint32_t link = s->link_count;
    struct swift_node *node;
    node_ref file;

    if (next_is(s, 'L')) {
        file = pop(s, SWIFT_IDENTIFIER);
        return make_pair(s, SWIFT_PRIVATE, file, pop_name(s));
    }
    if (next_is(s, 'l'))
        return make_1(s, SWIFT_FILE, pop(s, SWIFT_IDENTIFIER));
    node = make_node(s, SWIFT_LOCAL, 1);
    if (node == NULL || !read_index(s, &node->index))
        return NULL;
    s->links[link] = pop_name(s);
    return s->links[link] != NULL ? node : NULL;
}

static node_ref pop_module(struct swift_name *s)
{
    const node_ref name = pop(s, SWIFT_IDENTIFIER);

    return name != NULL ? make_text(s, SWIFT_MODULE, name->text)
                        : pop(s, SWIFT_MODULE);
}

static node_ref pop_context(struct swift_name *s)
{
    node_ref context = pop_module(s);

    if (context == NULL)
        context = pop_nominal(s);
    if (context == NULL)
        context = pop(s, SWIFT_EXTENSION);
    return context != NULL ? context : pop_entity(s);
}

static node_ref read_extension(struct swift_name *s)
{
    const node_ref signature = pop(s, SWIFT_SIGNATURE);
    const node_ref module = pop_module(s);
    const node_ref type = pop_nominal(s);
    const uint32_t link = s->link_count;
    struct swift_node *const node = make_node(s, SWIFT_EXTENSION, 3);

    if (module == NULL || type == NULL || node == NULL)
        return NULL;
    s->links[link] = module;
    s->links[link + 1] = type;
    s->links[link + 2] = signature;
    return node;
}

static struct swift_node *make_entity(struct swift_name *s,
                                      enum swift_kind kind, node_ref name,
                                      node_ref labels, node_ref type)
{
    const node_ref context = pop_context(s);
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        context != NULL ? make_node(s, kind, SWIFT_SLOTS) : NULL;

    if (node == NULL)
        return NULL;
    s->links[link + SWIFT_CONTEXT] = context;
    s->links[link + SWIFT_NAME] = name;
    s->links[link + SWIFT_LABELS] = labels;
    s->links[link + SWIFT_TYPE] = type;
    return node;
}

static node_ref read_nominal(struct swift_name *s, enum swift_kind kind)
{
    const node_ref name = pop_name(s);

    return name != NULL ? remember(s, make_entity(s, kind, name, NULL, NULL))
                        : NULL;
}

/* A protocol that is not remembered as one: where only protocols may stand. */
static node_ref pop_protocol(struct swift_name *s)
{
    const node_ref type = pop_type(s);
    const node_ref name = type == NULL ? pop_name(s) : NULL;

    if (type != NULL)
        return type->kind == SWIFT_PROTOCOL ? type : NULL;
    return name != NULL ? make_entity(s, SWIFT_PROTOCOL, name, NULL, NULL)
                        : NULL;
}

/* -- types ------------------------------------------------------------------- */

static const struct standard {
    char letter;
    enum swift_kind kind;
    const char *name;
} standards[] = {
    {'A', SWIFT_STRUCT, "AutoreleasingUnsafeMutablePointer"},
    {'a', SWIFT_STRUCT, "Array"},
    {'B', SWIFT_PROTOCOL, "BinaryFloatingPoint"},
    {'b', SWIFT_STRUCT, "Bool"},
    {'D', SWIFT_STRUCT, "Dictionary"},
    {'d', SWIFT_STRUCT, "Double"},
    {'E', SWIFT_PROTOCOL, "Encodable"},
    {'e', SWIFT_PROTOCOL, "Decodable"},
    {'F', SWIFT_PROTOCOL, "FloatingPoint"},
    {'f', SWIFT_STRUCT, "Float"},
    {'G', SWIFT_PROTOCOL, "RandomNumberGenerator"},
    {'H', SWIFT_PROTOCOL, "Hashable"},
    {'h', SWIFT_STRUCT, "Set"},
    {'I', SWIFT_STRUCT, "DefaultIndices"},
    {'i', SWIFT_STRUCT, "Int"},
    {'J', SWIFT_STRUCT, "Character"},
    {'j', SWIFT_PROTOCOL, "Numeric"},
    {'K', SWIFT_PROTOCOL, "BidirectionalCollection"},
    {'k', SWIFT_PROTOCOL, "RandomAccessCollection"},
    {'L', SWIFT_PROTOCOL, "Comparable"},
    {'l', SWIFT_PROTOCOL, "Collection"},
    {'M', SWIFT_PROTOCOL, "MutableCollection"},
    {'m', SWIFT_PROTOCOL, "RangeReplaceableCollection"},
    {'N', SWIFT_STRUCT, "ClosedRange"},
    {'n', SWIFT_STRUCT, "Range"},
    {'O', SWIFT_STRUCT, "ObjectIdentifier"},
    {'P', SWIFT_STRUCT, "UnsafePointer"},
    {'p', SWIFT_STRUCT, "UnsafeMutablePointer"},
    {'Q', SWIFT_PROTOCOL, "Equatable"},
    {'q', SWIFT_ENUM, "Optional"},
    {'R', SWIFT_STRUCT, "UnsafeBufferPointer"},
    {'r', SWIFT_STRUCT, "UnsafeMutableBufferPointer"},
    {'S', SWIFT_STRUCT, "String"},
    {'s', SWIFT_STRUCT, "Substring"},
    {'T', SWIFT_PROTOCOL, "Sequence"},
    {'t', SWIFT_PROTOCOL, "IteratorProtocol"},
    {'U', SWIFT_PROTOCOL, "UnsignedInteger"},
    {'u', SWIFT_STRUCT, "UInt"},
    {'V', SWIFT_STRUCT, "UnsafeRawPointer"},
    {'v', SWIFT_STRUCT, "UnsafeMutableRawPointer"},
    {'W', SWIFT_STRUCT, "UnsafeRawBufferPointer"},
    {'w', SWIFT_STRUCT, "UnsafeMutableRawBufferPointer"},
    {'X', SWIFT_PROTOCOL, "RangeExpression"},
    {'x', SWIFT_PROTOCOL, "Strideable"},
    {'Y', SWIFT_PROTOCOL, "RawRepresentable"},
    {'y', SWIFT_PROTOCOL, "StringProtocol"},
    {'Z', SWIFT_PROTOCOL, "SignedInteger"},
    {'z', SWIFT_PROTOCOL, "BinaryInteger"},
};

/* After "Sc". */
static const struct standard concurrent[] = {
    {'A', SWIFT_PROTOCOL, "Actor"},
    {'C', SWIFT_STRUCT, "CheckedContinuation"},
    {'c', SWIFT_STRUCT, "UnsafeContinuation"},
    {'E', SWIFT_STRUCT, "CancellationError"},
    {'e', SWIFT_STRUCT, "UnownedSerialExecutor"},
    {'F', SWIFT_PROTOCOL, "Executor"},
    {'f', SWIFT_PROTOCOL, "SerialExecutor"},
    {'G', SWIFT_STRUCT, "TaskGroup"},
    {'g', SWIFT_STRUCT, "ThrowingTaskGroup"},
    {'I', SWIFT_PROTOCOL, "AsyncIteratorProtocol"},
    {'i', SWIFT_PROTOCOL, "AsyncSequence"},
    {'J', SWIFT_STRUCT, "UnownedJob"},
    {'M', SWIFT_CLASS, "MainActor"},
    {'P', SWIFT_STRUCT, "TaskPriority"},
    {'S', SWIFT_STRUCT, "AsyncStream"},
    {'s', SWIFT_STRUCT, "AsyncThrowingStream"},
    {'T', SWIFT_STRUCT, "Task"},
    {'t', SWIFT_STRUCT, "UnsafeCurrentTask"},
};

static node_ref make_swift_type(struct swift_name *s, enum swift_kind kind,
                                const char *name)
{
    const node_ref module = make_text(s, SWIFT_MODULE, word("Swift"));
    const node_ref text = make_text(s, SWIFT_IDENTIFIER, word(name));

    return text != NULL && push(s, module)
               ? make_entity(s, kind, text, NULL, NULL)
               : NULL;
}

static node_ref find_standard(struct swift_name *s,
                              const struct standard *table, size_t size)
{
    const char c = next(s);

    for (size_t i = 0; i < size; i++) {
        if (table[i].letter == c)
            return make_swift_type(s, table[i].kind, table[i].name);
    }
    return NULL;
}

/* Puts all but the last of `count` equal nodes there. */
static node_ref repeat(struct swift_name *s, node_ref node, uint32_t count)
{
    while (count-- > 1) {
        if (!push(s, node))
            return NULL;
    }
    return node;
}

static node_ref read_optional(struct swift_name *s)
{
    const node_ref nominal = make_swift_type(s, SWIFT_ENUM, "Optional");
    node_ref list = make_1(s, SWIFT_LIST, pop_type(s));

    return remember(s, make_pair(s, SWIFT_BOUND, nominal, list));
}

static node_ref read_standard(struct swift_name *s)
{
    uint32_t count = 1;

    if (next_is(s, 'o'))
        return make_text(s, SWIFT_MODULE, word("__C"));
    if (next_is(s, 'C'))
        return make_text(s, SWIFT_MODULE, word("__C_Synthesized"));
    if (next_is(s, 'g'))
        return read_optional(s);
    if (is_digit(peek(s)) && !read_natural(s, &count))
        return NULL;
    return repeat(
        s,
        next_is(s, 'c')
            ? find_standard(s, concurrent, MPROF_ARRAY_LEN(concurrent))
            : find_standard(s, standards, MPROF_ARRAY_LEN(standards)),
        count);
}

/* Several in a row: the last is a capital, or a number and "_". */
static node_ref read_substitutions(struct swift_name *s)
{
    for (;;) {
        const bool has_number = is_digit(peek(s));
        uint32_t number = 0;
        uint32_t n;
        char c;

        if (has_number && !read_natural(s, &number))
            return NULL;
        c = next(s);
        if (c == '_')
            n = has_number ? number + 27 : 26;
        else if (is_lower(c) || is_upper(c))
            n = (uint32_t)(c - (is_lower(c) ? 'a' : 'A'));
        else
            return NULL;
        if (n >= s->known_count)
            return NULL;
        if (c == '_')
            return s->known[n];
        if (repeat(s, s->known[n], number) == NULL)
            return NULL;
        if (is_upper(c))
            return s->known[n];
        if (!push(s, s->known[n]))
            return NULL;
    }
}

static node_ref make_number_word(struct swift_name *s, const char *before)
{
    const uint32_t start = s->text_size;
    const char *const digits = s->at;
    uint32_t number;

    if (!read_natural(s, &number) || !append_text(s, word(before)) ||
        !append_text(s,
                     (struct swift_text){.bytes = digits,
                                         .size = (size_t)(s->at - digits)}) ||
        !next_is(s, '_'))
        return NULL;
    return make_text(s, SWIFT_WORD,
                     (struct swift_text){.bytes = s->text + start,
                                         .size = s->text_size - start});
}

static node_ref read_builtin(struct swift_name *s)
{
    static const struct {
        char letter;
        const char *name;
    } builtins[] = {
        {'b', "Builtin.BridgeObject"},
        {'B', "Builtin.UnsafeValueBuffer"},
        {'c', "Builtin.RawUnsafeContinuation"},
        {'D', "Builtin.DefaultActorStorage"},
        {'e', "Builtin.Executor"},
        {'I', "Builtin.IntLiteral"},
        {'j', "Builtin.Job"},
        {'O', "Builtin.UnknownObject"},
        {'o', "Builtin.NativeObject"},
        {'p', "Builtin.RawPointer"},
        {'t', "Builtin.SILToken"},
        {'w', "Builtin.Word"},
    };
    const char c = next(s);

    if (c == 'i')
        return make_number_word(s, "Builtin.Int");
    if (c == 'f')
        return make_number_word(s, "Builtin.FPIEEE");
    for (size_t i = 0; i < MPROF_ARRAY_LEN(builtins); i++) {
        if (builtins[i].letter == c)
            return make_text(s, SWIFT_WORD, word(builtins[i].name));
    }
    return NULL;
}

/* Up to and with the marker of the first. */
static node_ref pop_types(struct swift_name *s)
{
    const node_ref empty = make_node(s, SWIFT_LIST, 0);
    const uint32_t all = s->stack_size;
    uint32_t count = 0;
    node_ref list;

    if (pop(s, SWIFT_EMPTY_LIST) != NULL)
        return empty;
    while (count < all && swift_is_type(s->stack[all - 1 - count]))
        count++;
    if (count == all || s->stack[all - 1 - count]->kind != SWIFT_FIRST ||
        count + 2 > all || !swift_is_type(s->stack[all - 2 - count]))
        return NULL;
    /* Over the marker, which stands after the first. */
    s->stack[all - 1 - count] = s->stack[all - 2 - count];
    list = make_list(s, SWIFT_LIST, count + 1);
    s->stack_size -= list != NULL;
    return list;
}

static node_ref read_tuple_element(struct swift_name *s, bool *is_first)
{
    const bool first = pop(s, SWIFT_FIRST) != NULL;
    const bool is_variadic = pop(s, SWIFT_VARIADIC) != NULL;
    const node_ref name = pop(s, SWIFT_IDENTIFIER);
    const node_ref type = pop_type(s);
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        type != NULL ? make_node(s, SWIFT_ELEMENT, 2) : NULL;

    *is_first = first;
    if (node == NULL)
        return NULL;
    node->index = is_variadic;
    s->links[link] = type;
    s->links[link + 1] = name;
    return node;
}

/* Reverses what was collected on the stack, for the last comes first. */
static node_ref make_reversed(struct swift_name *s, enum swift_kind kind,
                              const node_ref *nodes, uint32_t count)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node = make_node(s, kind, count);

    for (uint32_t i = 0; node != NULL && i < count; i++)
        s->links[link + i] = nodes[count - 1 - i];
    return node;
}

#define LIST_MAX 128u

static node_ref read_tuple(struct swift_name *s)
{
    node_ref elements[LIST_MAX];
    uint32_t count = 0;
    bool is_first = pop(s, SWIFT_EMPTY_LIST) != NULL;

    while (!is_first) {
        const node_ref element =
            count < LIST_MAX ? read_tuple_element(s, &is_first) : NULL;

        if (element == NULL)
            return NULL;
        elements[count++] = element;
    }
    return make_reversed(s, SWIFT_TUPLE, elements, count);
}

/* "y" stands for (). */
static node_ref pop_tuple_or_type(struct swift_name *s)
{
    return pop(s, SWIFT_EMPTY_LIST) != NULL ? make_node(s, SWIFT_TUPLE, 0)
                                            : pop_type(s);
}

static node_ref pop_arrow(struct swift_name *s, const char *convention)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        make_node(s, SWIFT_ARROW, SWIFT_ARROW_SLOTS);

    if (node == NULL)
        return NULL;
    node->text = word(convention);
    s->links[link + SWIFT_ARROW_ACTOR] = pop(s, SWIFT_ACTOR);
    s->links[link + SWIFT_ARROW_THROWS] = pop(s, SWIFT_THROWS);
    s->links[link + SWIFT_ARROW_SENDABLE] = pop(s, SWIFT_SENDABLE);
    s->links[link + SWIFT_ARROW_ASYNC] = pop(s, SWIFT_ASYNC);
    s->links[link + SWIFT_ARROW_TAKES] = pop_tuple_or_type(s);
    s->links[link + SWIFT_ARROW_GIVES] = pop_tuple_or_type(s);
    return node->children[SWIFT_ARROW_TAKES] != NULL &&
                   node->children[SWIFT_ARROW_GIVES] != NULL
               ? node
               : NULL;
}

static node_ref pop_protocols(struct swift_name *s, bool and_object)
{
    node_ref protocols[LIST_MAX];
    uint32_t count = 0;
    bool is_first = pop(s, SWIFT_EMPTY_LIST) != NULL;
    struct swift_node *node;

    while (!is_first) {
        if (count == LIST_MAX)
            return NULL;
        is_first = pop(s, SWIFT_FIRST) != NULL;
        protocols[count] = pop_protocol(s);
        if (protocols[count++] == NULL)
            return NULL;
    }
    node = (struct swift_node *)make_reversed(s, SWIFT_PROTOCOLS, protocols,
                                              count);
    if (node != NULL)
        node->index = and_object;
    return node;
}

/* After 'X'. */
static node_ref read_special_type(struct swift_name *s)
{
    switch (next(s)) {
    case 'E':
        return pop_arrow(s, "");
    case 'A':
    case 'K':
        return pop_arrow(s, "@autoclosure ");
    case 'B':
        return pop_arrow(s, "@convention(block) ");
    case 'C':
        return pop_arrow(s, "@convention(c) ");
    case 'f':
        return pop_arrow(s, "@convention(thin) ");
    case 'D':
        return pop_type(s) != NULL ? make_text(s, SWIFT_WORD, word("Self"))
                                   : NULL;
    case 'l':
        return pop_protocols(s, true);
    case 'o':
        return make_marked(s, SWIFT_MARKED, "unowned ", pop_type(s));
    case 'u':
        return make_marked(s, SWIFT_MARKED, "unowned(unsafe) ", pop_type(s));
    case 'w':
        return make_marked(s, SWIFT_MARKED, "weak ", pop_type(s));
    case 'p':
        return make_1(s, SWIFT_METATYPE_ANY, pop_type(s));
    default:
        return NULL;
    }
}

/* After 'Y'. */
static node_ref read_annotation(struct swift_name *s)
{
    switch (next(s)) {
    case 'a':
        return make_node(s, SWIFT_ASYNC, 0);
    case 'b':
        return make_node(s, SWIFT_SENDABLE, 0);
    case 'c':
        return make_1(s, SWIFT_ACTOR, pop_type(s));
    case 'i':
        return make_marked(s, SWIFT_MARKED, "isolated ", pop_type(s));
    case 'K':
        return make_1(s, SWIFT_THROWS, pop_type(s));
    default:
        return NULL;
    }
}

/* -- generics ---------------------------------------------------------------- */

static node_ref make_parameter(struct swift_name *s, uint32_t depth,
                               uint32_t index)
{
    struct swift_node *const node = make_node(s, SWIFT_PARAMETER, 0);

    if (node == NULL)
        return NULL;
    node->depth = depth;
    node->index = index;
    return node;
}

static node_ref read_parameter(struct swift_name *s)
{
    uint32_t depth;
    uint32_t index;

    if (next_is(s, 'z'))
        return make_parameter(s, 0, 0);
    if (next_is(s, 'd'))
        return read_index(s, &depth) && read_index(s, &index)
                   ? make_parameter(s, depth + 1, index)
                   : NULL;
    return read_index(s, &index) ? make_parameter(s, 0, index + 1) : NULL;
}

static node_ref pop_association(struct swift_name *s)
{
    const node_ref type = pop_type(s);
    const node_ref name = pop(s, SWIFT_IDENTIFIER);

    if (type != NULL && type->kind != SWIFT_PROTOCOL)
        return NULL;
    return make_2(s, SWIFT_ASSOCIATION, name, type);
}

/* The member of a member ... of `base`, or of the type on the stack. */
static node_ref pop_members(struct swift_name *s, node_ref base, bool several)
{
    node_ref names[LIST_MAX];
    uint32_t count = 0;
    bool is_first;

    do {
        is_first = !several || pop(s, SWIFT_FIRST) != NULL;
        if (count == LIST_MAX)
            return NULL;
        names[count] = pop_association(s);
        if (names[count++] == NULL)
            return NULL;
    } while (!is_first);
    if (base == NULL)
        base = pop_type(s);
    while (count > 0 && base != NULL)
        base = make_pair(s, SWIFT_MEMBER, base, names[--count]);
    return base;
}

/* After 'Q'. */
static node_ref read_archetype(struct swift_name *s)
{
    const char c = next(s);
    node_ref base = NULL;

    switch (c) {
    case 'r':
        return make_text(s, SWIFT_WORD, word("some"));
    case 'y':
    case 'Y':
        base = read_parameter(s);
        break;
    case 'z':
    case 'Z':
        base = make_parameter(s, 0, 0);
        break;
    case 'x':
    case 'X':
        return remember(s, pop_members(s, NULL, c == 'X'));
    default:
        return NULL;
    }
    return base != NULL ? remember(s, pop_members(s, base, is_upper(c))) : NULL;
}

/* After 'R'. What is demanded of what comes first on the stack. */
static node_ref read_requirement(struct swift_name *s)
{
    static const char kinds[] = "bBcCsStTlmpPQ";
    const char kind =
        peek(s) != '\0' && strchr(kinds, peek(s)) != NULL ? next(s) : '\0';
    node_ref subject;

    if (kind == 'B' || kind == 'S' || kind == 'Q') {
        subject = pop_type(s);
    } else {
        subject = read_parameter(s);
        if (subject != NULL && kind != '\0' && strchr("ctmpCTP", kind) != NULL)
            subject = remember(s, pop_members(s, subject, is_upper(kind)));
    }
    if (subject == NULL)
        return NULL;
    if (kind == 'l' || kind == 'm')
        return next_is(s, 'C') ? make_1(s, SWIFT_IS_CLASS, subject) : NULL;
    if (kind != '\0' && strchr("sStT", kind) != NULL)
        return make_pair(s, SWIFT_EQUALS, subject, pop_type(s));
    return make_pair(s, SWIFT_CONFORMS, subject,
                     kind != '\0' && strchr("bBcC", kind) != NULL
                         ? pop_type(s)
                         : pop_protocol(s));
}

static node_ref read_counts(struct swift_name *s, bool has_counts)
{
    node_ref counts[LIST_MAX];
    uint32_t count = 0;
    uint32_t link;
    struct swift_node *list;

    while (has_counts ? !next_is(s, 'l') : count == 0) {
        struct swift_node *const node =
            count < LIST_MAX ? make_node(s, SWIFT_COUNT, 0) : NULL;

        if (node == NULL)
            return NULL;
        node->index = 1;
        if (has_counts && next_is(s, 'z'))
            node->index = 0;
        else if (has_counts && !read_index(s, &node->index))
            return NULL;
        else if (has_counts)
            node->index++;
        counts[count++] = node;
    }
    link = s->link_count;
    list = make_node(s, SWIFT_LIST, count);
    for (uint32_t i = 0; list != NULL && i < count; i++)
        s->links[link + i] = counts[i];
    return list;
}

static node_ref read_signature(struct swift_name *s, bool has_counts)
{
    const node_ref counts = read_counts(s, has_counts);
    uint32_t count = 0;

    while (count < s->stack_size &&
           swift_is_between(s->stack[s->stack_size - 1 - count], SWIFT_CONFORMS,
                            SWIFT_IS_CLASS + 1))
        count++;
    return make_pair(s, SWIFT_SIGNATURE, counts,
                     make_list(s, SWIFT_LIST, count));
}

static node_ref read_generic_type(struct swift_name *s)
{
    const node_ref signature = pop(s, SWIFT_SIGNATURE);

    return make_pair(s, SWIFT_GENERIC, signature, pop_type(s));
}

/* A copy with another child at `slot`. */
static node_ref replace_child(struct swift_name *s, node_ref node,
                              uint32_t slot, node_ref child)
{
    const uint32_t link = s->link_count;
    struct swift_node *const copy =
        child != NULL ? make_node(s, (enum swift_kind)node->kind, node->count)
                      : NULL;

    if (copy == NULL)
        return NULL;
    for (uint32_t i = 0; i < node->count; i++)
        s->links[link + i] = i == slot ? child : node->children[i];
    return copy;
}

/* The nominal with its arguments, innermost first, and those of what it is
 * nested in. */
static node_ref bind_arguments(struct swift_name *s, node_ref nominal,
                               const node_ref *lists, uint32_t count)
{
    node_ref context = nominal->children[SWIFT_CONTEXT];

    if (count > 1 && context->kind == SWIFT_EXTENSION) {
        context = replace_child(
            s, context, 1,
            bind_arguments(s, context->children[1], lists + 1, count - 1));
    } else if (count > 1) {
        context = swift_is_between(context, SWIFT_TYPES, SWIFT_NOMINALS_END)
                      ? bind_arguments(s, context, lists + 1, count - 1)
                      : NULL;
    }
    if (count > 1)
        nominal = replace_child(s, nominal, SWIFT_CONTEXT, context);
    if (nominal == NULL || lists[0]->count == 0)
        return nominal;
    return make_2(s, SWIFT_BOUND, nominal, lists[0]);
}

#define NESTING_MAX 16u

static node_ref read_bound(struct swift_name *s)
{
    node_ref lists[NESTING_MAX];
    uint32_t count = 0;
    node_ref nominal;

    do {
        uint32_t types = 0;

        while (types < s->stack_size &&
               swift_is_type(s->stack[s->stack_size - 1 - types]))
            types++;
        if (count == NESTING_MAX)
            return NULL;
        lists[count] = make_list(s, SWIFT_LIST, types);
        if (lists[count++] == NULL)
            return NULL;
        if (pop(s, SWIFT_EMPTY_LIST) != NULL)
            break;
    } while (pop(s, SWIFT_FIRST) != NULL);
    nominal = pop_nominal(s);
    return nominal != NULL
               ? remember(s, bind_arguments(s, nominal, lists, count))
               : NULL;
}

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
    const node_ref empty = make_node(s, SWIFT_LIST, 0);
    node_ref takes;
    uint32_t count;

    *labels = NULL;
    if (empty == NULL)
        return false;
    if (pop(s, SWIFT_EMPTY_LIST) != NULL) {
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
    *labels = make_list(s, SWIFT_LIST, count);
    return *labels != NULL;
}

static node_ref read_function(struct swift_name *s)
{
    const node_ref signature = pop(s, SWIFT_SIGNATURE);
    node_ref type = pop_arrow(s, "");
    node_ref labels;
    node_ref name;

    if (type == NULL || !pop_labels(s, type, &labels))
        return NULL;
    if (signature != NULL)
        type = make_2(s, SWIFT_GENERIC, signature, type);
    name = pop_name(s);
    return type != NULL && name != NULL
               ? make_entity(s, SWIFT_FUNCTION, name, labels, type)
               : NULL;
}

static const char *read_accessor_name(struct swift_name *s)
{
    switch (next(s)) {
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
        return next_is(s, 'u') ? "unsafeMutableAddressor" : NULL;
    case 'l':
        return next_is(s, 'u') ? "unsafeAddressor" : NULL;
    default:
        return NULL;
    }
}

static node_ref read_accessor(struct swift_name *s, node_ref storage)
{
    const char *name;

    if (next_is(s, 'p'))
        return storage;
    name = read_accessor_name(s);
    return name != NULL ? make_marked(s, SWIFT_ACCESSOR, name, storage) : NULL;
}

static node_ref read_variable(struct swift_name *s)
{
    const node_ref type = pop_type(s);
    node_ref labels;
    node_ref name;

    if (type == NULL || !pop_labels(s, type, &labels))
        return NULL;
    name = pop_name(s);
    return name != NULL ? read_accessor(s, make_entity(s, SWIFT_VARIABLE, name,
                                                       labels, type))
                        : NULL;
}

static node_ref read_subscript(struct swift_name *s)
{
    const node_ref file = pop(s, SWIFT_FILE);
    const node_ref type = pop_type(s);
    node_ref labels;

    if (file != NULL || type == NULL || !pop_labels(s, type, &labels))
        return NULL;
    return read_accessor(s,
                         make_entity(s, SWIFT_SUBSCRIPT, NULL, labels, type));
}

static node_ref make_special(struct swift_name *s, const char *text)
{
    struct swift_node *const node =
        make_entity(s, SWIFT_SPECIAL, NULL, NULL, NULL);

    if (node != NULL)
        node->text = word(text);
    return node;
}

static node_ref read_init(struct swift_name *s, bool allocates)
{
    const node_ref file = pop(s, SWIFT_FILE);
    const node_ref type = pop_type(s);
    struct swift_node *node;
    node_ref labels;

    if (get_arrow(type) == NULL || !pop_labels(s, type, &labels))
        return NULL;
    node = make_entity(s, SWIFT_SPECIAL, allocates ? NULL : file, labels, type);
    if (node == NULL)
        return NULL;
    node->text =
        word(allocates && node->children[SWIFT_CONTEXT]->kind == SWIFT_CLASS
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

    if (!read_index(s, &index))
        return NULL;
    type = is_typed ? pop_type(s) : NULL;
    if (is_typed && type == NULL)
        return NULL;
    node = make_entity(s, SWIFT_NUMBERED, NULL, NULL, type);
    if (node == NULL)
        return NULL;
    node->text = word(text);
    node->index = index + is_typed;
    return node;
}

/* After 'f'. */
static node_ref read_function_entity(struct swift_name *s)
{
    const struct swift_node *node;

    switch (next(s)) {
    case 'C':
        return read_init(s, true);
    case 'c':
        return read_init(s, false);
    case 'D':
        node = make_special(s, "__deallocating_deinit");
        if (node != NULL && node->children[SWIFT_CONTEXT]->kind != SWIFT_CLASS)
            ((struct swift_node *)node)->text = word("deinit");
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
    const node_ref signature = pop(s, SWIFT_SIGNATURE);
    const node_ref module = pop_module(s);
    const node_ref protocol = module != NULL ? pop_protocol(s) : NULL;
    node_ref type = protocol != NULL ? pop_type(s) : NULL;
    const uint32_t link = s->link_count;
    struct swift_node *node;

    if (type == NULL)
        return NULL;
    node = make_node(s, SWIFT_CONFORMANCE, 3);
    if (node == NULL)
        return NULL;
    if (signature != NULL)
        type = make_2(s, SWIFT_GENERIC, signature, type);
    s->links[link] = type;
    s->links[link + 1] = protocol;
    s->links[link + 2] = module;
    return type != NULL ? node : NULL;
}

static struct swift_node *make_attribute(struct swift_name *s, const char *text)
{
    struct swift_node *const node = make_node(s, SWIFT_ATTRIBUTE, 0);

    if (node != NULL)
        node->text = word(text);
    return node;
}

static node_ref read_resumption(struct swift_name *s, const char *text)
{
    struct swift_node *const node = make_attribute(s, text);

    if (node == NULL || !read_index(s, &node->index))
        return NULL;
    node->depth = 1; /* the index is told */
    return node;
}

/* The number of the compiler's pass. */
static bool read_pass(struct swift_name *s)
{
    (void)next_is(s, 'm');
    return peek(s) != 'q' && is_digit(next(s));
}

static node_ref read_specialization(struct swift_name *s, const char *text)
{
    const uint32_t link = s->link_count;
    struct swift_node *node = make_node(s, SWIFT_SPECIALIZED, 1);

    if (node == NULL || !read_pass(s))
        return NULL;
    s->links[link] = pop_types(s);
    node->text = word(text);
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

    if (text == NULL || *count == LIST_MAX)
        return false;
    if (text[0] == '\0')
        return true;
    node = make_node(s, SWIFT_ARGUMENT, 0);
    if (node == NULL)
        return false;
    node->text = word(text);
    node->index = index;
    arguments[(*count)++] = node;
    return true;
}

/* After "Tf": only changes that need no further names. */
static node_ref read_signature_change(struct swift_name *s)
{
    node_ref arguments[LIST_MAX];
    uint32_t count = 0;
    struct swift_node *node;
    uint32_t link;

    if (!read_pass(s))
        return NULL;
    for (uint32_t i = 0; !next_is(s, '_'); i++) {
        if (!add_argument(s, arguments, &count, i))
            return NULL;
    }
    if (!add_argument(s, arguments, &count, SWIFT_RESULT))
        return NULL;
    link = s->link_count;
    node = make_node(s, SWIFT_RESIGNED, count);
    for (uint32_t i = 0; node != NULL && i < count; i++)
        s->links[link + i] = arguments[i];
    return node;
}

/* After 'T'. */
static node_ref read_thunk(struct swift_name *s)
{
    node_ref entity;

    switch (next(s)) {
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
        return make_marked(s, SWIFT_ABOUT, "curry thunk of ", pop_entity(s));
    case 'D':
        return make_attribute(s, "dynamic ");
    case 'f':
        return read_signature_change(s);
    case 'j':
        return make_marked(s, SWIFT_ABOUT, "dispatch thunk of ", pop_entity(s));
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
        entity = pop_entity(s);
        return entity != NULL
                   ? make_2(s, SWIFT_WITNESS, pop_conformance(s), entity)
                   : NULL;
    default:
        return NULL;
    }
}

/* After 'M'. */
static node_ref read_metadata(struct swift_name *s)
{
    switch (next(s)) {
    case 'a':
        return make_marked(s, SWIFT_ABOUT, "type metadata accessor for ",
                           pop_type(s));
    case 'i':
        return make_marked(s, SWIFT_ABOUT,
                           "type metadata instantiation function for ",
                           pop_nominal(s));
    case 'r':
        return make_marked(s, SWIFT_ABOUT,
                           "type metadata completion function for ",
                           pop_nominal(s));
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
    const char c = next(s);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(kinds); i++) {
        if (kinds[i].letter == c)
            return make_marked(s, SWIFT_ABOUT, kinds[i].text, pop_type(s));
    }
    return NULL;
}

/* The only name of what is initialized at once. */
static node_ref read_once(struct swift_name *s)
{
    const node_ref name = pop(s, SWIFT_FIRST) != NULL ? pop_name(s) : NULL;

    if (name == NULL || swift_is(top(s), SWIFT_FIRST) || pop_context(s) == NULL)
        return NULL;
    return make_marked(s, SWIFT_ABOUT, "one-time initialization function for ",
                       name);
}

/* After 'W'. */
static node_ref read_witness(struct swift_name *s)
{
    node_ref conformance;

    switch (next(s)) {
    case 'l':
        conformance = pop_conformance(s);
        return make_pair(s, SWIFT_LAZY, conformance, pop_type(s));
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
    const char first = next(s);
    const char second = next(s);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(kinds); i++) {
        if (kinds[i][0][0] == first && kinds[i][0][1] == second)
            return make_marked(s, SWIFT_ABOUT, kinds[i][1], pop_type(s));
    }
    return NULL;
}

/* -- all --------------------------------------------------------------------- */

/* long: one operator a line. */
static node_ref read_next(struct swift_name *s)
{
    const char c = next(s);

    switch (c) {
    case 'A':
        return read_substitutions(s);
    case 'B':
        return read_builtin(s);
    case 'C':
        return read_nominal(s, SWIFT_CLASS);
    case 'E':
        return read_extension(s);
    case 'F':
        return read_function(s);
    case 'G':
        return read_bound(s);
    case 'K':
        return make_node(s, SWIFT_THROWS, 0);
    case 'L':
        return read_local(s);
    case 'M':
        return read_metadata(s);
    case 'O':
        return read_nominal(s, SWIFT_ENUM);
    case 'P':
        return read_nominal(s, SWIFT_PROTOCOL);
    case 'Q':
        return read_archetype(s);
    case 'R':
        return read_requirement(s);
    case 'S':
        return read_standard(s);
    case 'T':
        return read_thunk(s);
    case 'V':
        return read_nominal(s, SWIFT_STRUCT);
    case 'W':
        return read_witness(s);
    case 'X':
        return read_special_type(s);
    case 'Y':
        return read_annotation(s);
    case 'Z':
        return make_1(s, SWIFT_STATIC, pop_entity(s));
    case 'a':
        return read_nominal(s, SWIFT_ALIAS);
    case 'c':
        return pop_arrow(s, "");
    case 'd':
        return make_node(s, SWIFT_VARIADIC, 0);
    case 'f':
        return read_function_entity(s);
    case 'h':
        return make_marked(s, SWIFT_MARKED, "__shared ", pop_type(s));
    case 'i':
        return read_subscript(s);
    case 'l':
        return read_signature(s, false);
    case 'm':
        return make_1(s, SWIFT_METATYPE, pop_type(s));
    case 'n':
        return make_marked(s, SWIFT_MARKED, "__owned ", pop_type(s));
    case 'o':
        return read_operator(s);
    case 'p':
        return pop_protocols(s, false);
    case 'q':
        return read_parameter(s);
    case 'r':
        return read_signature(s, true);
    case 's':
        return make_text(s, SWIFT_MODULE, word("Swift"));
    case 't':
        return read_tuple(s);
    case 'u':
        return read_generic_type(s);
    case 'v':
        return read_variable(s);
    case 'w':
        return read_value_witness(s);
    case 'x':
        return make_parameter(s, 0, 0);
    case 'y':
        return make_node(s, SWIFT_EMPTY_LIST, 0);
    case 'z':
        return make_marked(s, SWIFT_MARKED, "inout ", pop_type(s));
    case '_':
        return make_node(s, SWIFT_FIRST, 0);
    default:
        if (!is_digit(c))
            return NULL;
        s->at--;
        return read_identifier(s);
    }
}

/* One thing, with what was done to it above it on the stack. */
static bool find_root(struct swift_name *s)
{
    while (swift_is_between(top(s), SWIFT_ATTRIBUTE, SWIFT_RESIGNED + 1)) {
        if (s->attribute_count == MPROF_ARRAY_LEN(s->attributes))
            return false;
        s->attributes[s->attribute_count++] = s->stack[--s->stack_size];
    }
    s->root = top(s);
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
        if (!push(name, read_next(name)))
            return false;
    }
    return find_root(name);
}
