/* swift_types.c -- Swift's mangled names: what entities are called and where
 * they stand, types, and generic parameters with what is demanded of them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/swift_parse.h"

typedef const struct swift_node *node_ref;

/* -- names and contexts ------------------------------------------------------ */

static bool starts_word(char c)
{
    return c != '\0' && c != '_' && !swift_is_digit(c);
}

static bool ends_word(char c, char before)
{
    return c == '\0' || c == '_' ||
           (!swift_is_upper(before) && swift_is_upper(c));
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
    while (*more &&
           (swift_is_lower(swift_peek(s)) || swift_is_upper(swift_peek(s)))) {
        const char c = swift_next(s);
        const uint32_t n = (uint32_t)(c - (swift_is_lower(c) ? 'a' : 'A'));

        *more = swift_is_lower(c);
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
    bool has_words = swift_next_is(s, '0');

    if (has_words && swift_peek(s) == '0')
        return NULL;
    do {
        struct swift_text text = {.bytes = NULL, .size = 0};
        uint32_t size;

        if (!append_words(s, &has_words))
            return NULL;
        if (swift_next_is(s, '0'))
            break;
        if (!swift_read_natural(s, &size) || size == 0 ||
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
    return swift_remember(
        s, swift_make_text(s, SWIFT_IDENTIFIER,
                           (struct swift_text){.bytes = s->text + start,
                                               .size = s->text_size - start}));
}

static node_ref read_operator(struct swift_name *s)
{
    static const char symbols[] = "& @/= >    <*!|+?%-~   ^ .";
    const node_ref name = swift_pop(s, SWIFT_IDENTIFIER);
    const uint32_t start = s->text_size;
    struct swift_node *node;

    if (name == NULL || !append_text(s, name->text))
        return NULL;
    for (uint32_t i = start; i < s->text_size; i++) {
        const char c = s->text[i];

        if (!swift_is_lower(c) || symbols[c - 'a'] == ' ')
            return NULL;
        s->text[i] = symbols[c - 'a'];
    }
    node = swift_make_node(s, SWIFT_OPERATOR, 0);
    if (node == NULL)
        return NULL;
    node->text = (struct swift_text){.bytes = s->text + start,
                                     .size = s->text_size - start};
    node->index = (uint32_t)swift_next(s);
    return strchr("ipP", (int)node->index) != NULL && node->index != 0 ? node
                                                                       : NULL;
}

static node_ref read_local(struct swift_name *s)
{
    const uint32_t link = s->link_count;
    struct swift_node *node;
    node_ref file;

    if (swift_next_is(s, 'L')) {
        file = swift_pop(s, SWIFT_IDENTIFIER);
        return swift_make_pair(s, SWIFT_PRIVATE, file, swift_pop_name(s));
    }
    if (swift_next_is(s, 'l'))
        return swift_make_1(s, SWIFT_FILE, swift_pop(s, SWIFT_IDENTIFIER));
    node = swift_make_node(s, SWIFT_LOCAL, 1);
    if (node == NULL || !swift_read_index(s, &node->index))
        return NULL;
    s->links[link] = swift_pop_name(s);
    return s->links[link] != NULL ? node : NULL;
}

node_ref mpdata_swift_pop_module(struct swift_name *s)
{
    const node_ref name = swift_pop(s, SWIFT_IDENTIFIER);

    return name != NULL ? swift_make_text(s, SWIFT_MODULE, name->text)
                        : swift_pop(s, SWIFT_MODULE);
}

node_ref mpdata_swift_pop_context(struct swift_name *s)
{
    node_ref context = mpdata_swift_pop_module(s);

    if (context == NULL)
        context = swift_pop_nominal(s);
    if (context == NULL)
        context = swift_pop(s, SWIFT_EXTENSION);
    return context != NULL ? context : swift_pop_entity(s);
}

static node_ref read_extension(struct swift_name *s)
{
    const node_ref signature = swift_pop(s, SWIFT_SIGNATURE);
    const node_ref module = mpdata_swift_pop_module(s);
    const node_ref type = swift_pop_nominal(s);
    const uint32_t link = s->link_count;
    struct swift_node *const node = swift_make_node(s, SWIFT_EXTENSION, 3);

    if (module == NULL || type == NULL || node == NULL)
        return NULL;
    s->links[link] = module;
    s->links[link + 1] = type;
    s->links[link + 2] = signature;
    return node;
}

struct swift_node *mpdata_swift_entity(struct swift_name *s,
                                       enum swift_kind kind, node_ref name,
                                       node_ref labels, node_ref type)
{
    const node_ref context = mpdata_swift_pop_context(s);
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        context != NULL ? swift_make_node(s, kind, SWIFT_SLOTS) : NULL;

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
    const node_ref name = swift_pop_name(s);

    return name != NULL ? swift_remember(
                              s, mpdata_swift_entity(s, kind, name, NULL, NULL))
                        : NULL;
}

/* A protocol that is not remembered as one: where only protocols may stand. */
node_ref mpdata_swift_pop_protocol(struct swift_name *s)
{
    const node_ref type = swift_pop_type(s);
    const node_ref name = type == NULL ? swift_pop_name(s) : NULL;

    if (type != NULL)
        return type->kind == SWIFT_PROTOCOL ? type : NULL;
    return name != NULL
               ? mpdata_swift_entity(s, SWIFT_PROTOCOL, name, NULL, NULL)
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
    const node_ref module =
        swift_make_text(s, SWIFT_MODULE, swift_word("Swift"));
    const node_ref text =
        swift_make_text(s, SWIFT_IDENTIFIER, swift_word(name));

    return text != NULL && swift_push(s, module)
               ? mpdata_swift_entity(s, kind, text, NULL, NULL)
               : NULL;
}

static node_ref find_standard(struct swift_name *s,
                              const struct standard *table, size_t size)
{
    const char c = swift_next(s);

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
        if (!swift_push(s, node))
            return NULL;
    }
    return node;
}

static node_ref read_optional(struct swift_name *s)
{
    const node_ref nominal = make_swift_type(s, SWIFT_ENUM, "Optional");
    node_ref list = swift_make_1(s, SWIFT_LIST, swift_pop_type(s));

    return swift_remember(s, swift_make_pair(s, SWIFT_BOUND, nominal, list));
}

static node_ref read_standard(struct swift_name *s)
{
    uint32_t count = 1;

    if (swift_next_is(s, 'o'))
        return swift_make_text(s, SWIFT_MODULE, swift_word("__C"));
    if (swift_next_is(s, 'C'))
        return swift_make_text(s, SWIFT_MODULE, swift_word("__C_Synthesized"));
    if (swift_next_is(s, 'g'))
        return read_optional(s);
    if (swift_is_digit(swift_peek(s)) && !swift_read_natural(s, &count))
        return NULL;
    return repeat(
        s,
        swift_next_is(s, 'c')
            ? find_standard(s, concurrent, MPROF_ARRAY_LEN(concurrent))
            : find_standard(s, standards, MPROF_ARRAY_LEN(standards)),
        count);
}

/* Several in a row: the last is a capital, or a number and "_". */
static node_ref read_substitutions(struct swift_name *s)
{
    for (;;) {
        const bool has_number = swift_is_digit(swift_peek(s));
        uint32_t number = 0;
        uint32_t n;
        char c;

        if (has_number && !swift_read_natural(s, &number))
            return NULL;
        c = swift_next(s);
        if (c == '_')
            n = has_number ? number + 27 : 26;
        else if (swift_is_lower(c) || swift_is_upper(c))
            n = (uint32_t)(c - (swift_is_lower(c) ? 'a' : 'A'));
        else
            return NULL;
        if (n >= s->known_count)
            return NULL;
        if (c == '_')
            return s->known[n];
        if (repeat(s, s->known[n], number) == NULL)
            return NULL;
        if (swift_is_upper(c))
            return s->known[n];
        if (!swift_push(s, s->known[n]))
            return NULL;
    }
}

static node_ref make_number_word(struct swift_name *s, const char *before)
{
    const uint32_t start = s->text_size;
    const char *const digits = s->at;
    uint32_t number;

    if (!swift_read_natural(s, &number) ||
        !append_text(s, swift_word(before)) ||
        !append_text(s,
                     (struct swift_text){.bytes = digits,
                                         .size = (size_t)(s->at - digits)}) ||
        !swift_next_is(s, '_'))
        return NULL;
    return swift_make_text(s, SWIFT_WORD,
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
    const char c = swift_next(s);

    if (c == 'i')
        return make_number_word(s, "Builtin.Int");
    if (c == 'f')
        return make_number_word(s, "Builtin.FPIEEE");
    for (size_t i = 0; i < MPROF_ARRAY_LEN(builtins); i++) {
        if (builtins[i].letter == c)
            return swift_make_text(s, SWIFT_WORD, swift_word(builtins[i].name));
    }
    return NULL;
}

/* Up to and with the marker of the first. */
node_ref mpdata_swift_pop_types(struct swift_name *s)
{
    const node_ref empty = swift_make_node(s, SWIFT_LIST, 0);
    const uint32_t all = s->stack_size;
    uint32_t count = 0;
    node_ref list;

    if (swift_pop(s, SWIFT_EMPTY_LIST) != NULL)
        return empty;
    while (count < all && swift_is_type(s->stack[all - 1 - count]))
        count++;
    if (count == all || s->stack[all - 1 - count]->kind != SWIFT_FIRST ||
        count + 2 > all || !swift_is_type(s->stack[all - 2 - count]))
        return NULL;
    /* Over the marker, which stands after the first. */
    s->stack[all - 1 - count] = s->stack[all - 2 - count];
    list = swift_make_list(s, SWIFT_LIST, count + 1);
    s->stack_size -= list != NULL;
    return list;
}

static node_ref read_tuple_element(struct swift_name *s, bool *is_first)
{
    const bool first = swift_pop(s, SWIFT_FIRST) != NULL;
    const bool is_variadic = swift_pop(s, SWIFT_VARIADIC) != NULL;
    const node_ref name = swift_pop(s, SWIFT_IDENTIFIER);
    const node_ref type = swift_pop_type(s);
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        type != NULL ? swift_make_node(s, SWIFT_ELEMENT, 2) : NULL;

    *is_first = first;
    if (node == NULL)
        return NULL;
    node->index = is_variadic;
    s->links[link] = type;
    s->links[link + 1] = name;
    return node;
}

/* Reverses what was collected on the stack, for the last comes first. */
static struct swift_node *make_reversed(struct swift_name *s,
                                        enum swift_kind kind,
                                        const node_ref *nodes, uint32_t count)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node = swift_make_node(s, kind, count);

    for (uint32_t i = 0; node != NULL && i < count; i++)
        s->links[link + i] = nodes[count - 1 - i];
    return node;
}

static node_ref read_tuple(struct swift_name *s)
{
    node_ref elements[SWIFT_LIST_MAX];
    uint32_t count = 0;
    bool is_first = swift_pop(s, SWIFT_EMPTY_LIST) != NULL;

    while (!is_first) {
        const node_ref element =
            count < SWIFT_LIST_MAX ? read_tuple_element(s, &is_first) : NULL;

        if (element == NULL)
            return NULL;
        elements[count++] = element;
    }
    return make_reversed(s, SWIFT_TUPLE, elements, count);
}

/* "y" stands for (). */
static node_ref pop_tuple_or_type(struct swift_name *s)
{
    return swift_pop(s, SWIFT_EMPTY_LIST) != NULL
               ? swift_make_node(s, SWIFT_TUPLE, 0)
               : swift_pop_type(s);
}

node_ref mpdata_swift_pop_arrow(struct swift_name *s, const char *convention)
{
    const uint32_t link = s->link_count;
    struct swift_node *const node =
        swift_make_node(s, SWIFT_ARROW, SWIFT_ARROW_SLOTS);

    if (node == NULL)
        return NULL;
    node->text = swift_word(convention);
    s->links[link + SWIFT_ARROW_ACTOR] = swift_pop(s, SWIFT_ACTOR);
    s->links[link + SWIFT_ARROW_THROWS] = swift_pop(s, SWIFT_THROWS);
    s->links[link + SWIFT_ARROW_SENDABLE] = swift_pop(s, SWIFT_SENDABLE);
    s->links[link + SWIFT_ARROW_ASYNC] = swift_pop(s, SWIFT_ASYNC);
    s->links[link + SWIFT_ARROW_TAKES] = pop_tuple_or_type(s);
    s->links[link + SWIFT_ARROW_GIVES] = pop_tuple_or_type(s);
    return node->children[SWIFT_ARROW_TAKES] != NULL &&
                   node->children[SWIFT_ARROW_GIVES] != NULL
               ? node
               : NULL;
}

static node_ref pop_protocols(struct swift_name *s, bool and_object)
{
    node_ref protocols[SWIFT_LIST_MAX];
    uint32_t count = 0;
    bool is_first = swift_pop(s, SWIFT_EMPTY_LIST) != NULL;
    struct swift_node *node;

    while (!is_first) {
        if (count == SWIFT_LIST_MAX)
            return NULL;
        is_first = swift_pop(s, SWIFT_FIRST) != NULL;
        protocols[count] = mpdata_swift_pop_protocol(s);
        if (protocols[count++] == NULL)
            return NULL;
    }
    node = make_reversed(s, SWIFT_PROTOCOLS, protocols, count);
    if (node != NULL)
        node->index = and_object;
    return node;
}

/* After 'X'. */
static node_ref read_special_type(struct swift_name *s)
{
    switch (swift_next(s)) {
    case 'E':
        return mpdata_swift_pop_arrow(s, "");
    case 'A':
    case 'K':
        return mpdata_swift_pop_arrow(s, "@autoclosure ");
    case 'B':
        return mpdata_swift_pop_arrow(s, "@convention(block) ");
    case 'C':
        return mpdata_swift_pop_arrow(s, "@convention(c) ");
    case 'f':
        return mpdata_swift_pop_arrow(s, "@convention(thin) ");
    case 'D':
        return swift_pop_type(s) != NULL
                   ? swift_make_text(s, SWIFT_WORD, swift_word("Self"))
                   : NULL;
    case 'l':
        return pop_protocols(s, true);
    case 'o':
        return swift_make_marked(s, SWIFT_MARKED, "unowned ",
                                 swift_pop_type(s));
    case 'u':
        return swift_make_marked(s, SWIFT_MARKED, "unowned(unsafe) ",
                                 swift_pop_type(s));
    case 'w':
        return swift_make_marked(s, SWIFT_MARKED, "weak ", swift_pop_type(s));
    case 'p':
        return swift_make_1(s, SWIFT_METATYPE_ANY, swift_pop_type(s));
    default:
        return NULL;
    }
}

/* After 'Y'. */
static node_ref read_annotation(struct swift_name *s)
{
    switch (swift_next(s)) {
    case 'a':
        return swift_make_node(s, SWIFT_ASYNC, 0);
    case 'b':
        return swift_make_node(s, SWIFT_SENDABLE, 0);
    case 'c':
        return swift_make_1(s, SWIFT_ACTOR, swift_pop_type(s));
    case 'i':
        return swift_make_marked(s, SWIFT_MARKED, "isolated ",
                                 swift_pop_type(s));
    case 'K':
        return swift_make_1(s, SWIFT_THROWS, swift_pop_type(s));
    default:
        return NULL;
    }
}

/* -- generics ---------------------------------------------------------------- */

static node_ref make_parameter(struct swift_name *s, uint32_t depth,
                               uint32_t index)
{
    struct swift_node *const node = swift_make_node(s, SWIFT_PARAMETER, 0);

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

    if (swift_next_is(s, 'z'))
        return make_parameter(s, 0, 0);
    if (swift_next_is(s, 'd'))
        return swift_read_index(s, &depth) && swift_read_index(s, &index)
                   ? make_parameter(s, depth + 1, index)
                   : NULL;
    return swift_read_index(s, &index) ? make_parameter(s, 0, index + 1) : NULL;
}

static node_ref pop_association(struct swift_name *s)
{
    const node_ref type = swift_pop_type(s);
    const node_ref name = swift_pop(s, SWIFT_IDENTIFIER);

    if (type != NULL && type->kind != SWIFT_PROTOCOL)
        return NULL;
    return swift_make_2(s, SWIFT_ASSOCIATION, name, type);
}

/* The member of a member ... of `base`, or of the type on the stack. */
static node_ref pop_members(struct swift_name *s, node_ref base, bool several)
{
    node_ref names[SWIFT_LIST_MAX];
    uint32_t count = 0;
    bool is_first;

    do {
        is_first = !several || swift_pop(s, SWIFT_FIRST) != NULL;
        if (count == SWIFT_LIST_MAX)
            return NULL;
        names[count] = pop_association(s);
        if (names[count++] == NULL)
            return NULL;
    } while (!is_first);
    if (base == NULL)
        base = swift_pop_type(s);
    while (count > 0 && base != NULL)
        base = swift_make_pair(s, SWIFT_MEMBER, base, names[--count]);
    return base;
}

/* After 'Q'. */
static node_ref read_archetype(struct swift_name *s)
{
    const char c = swift_next(s);
    node_ref base = NULL;

    switch (c) {
    case 'r':
        return swift_make_text(s, SWIFT_WORD, swift_word("some"));
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
        return swift_remember(s, pop_members(s, NULL, c == 'X'));
    default:
        return NULL;
    }
    return base != NULL
               ? swift_remember(s, pop_members(s, base, swift_is_upper(c)))
               : NULL;
}

/* After 'R'. What is demanded of what comes first on the stack. */
static node_ref read_requirement(struct swift_name *s)
{
    static const char kinds[] = "bBcCsStTlmpPQ";
    const char kind =
        swift_peek(s) != '\0' && strchr(kinds, swift_peek(s)) != NULL
            ? swift_next(s)
            : '\0';
    node_ref subject;

    if (kind == 'B' || kind == 'S' || kind == 'Q') {
        subject = swift_pop_type(s);
    } else {
        subject = read_parameter(s);
        if (subject != NULL && kind != '\0' && strchr("ctmpCTP", kind) != NULL)
            subject = swift_remember(
                s, pop_members(s, subject, swift_is_upper(kind)));
    }
    if (subject == NULL)
        return NULL;
    if (kind == 'l' || kind == 'm')
        return swift_next_is(s, 'C') ? swift_make_1(s, SWIFT_IS_CLASS, subject)
                                     : NULL;
    if (kind != '\0' && strchr("sStT", kind) != NULL)
        return swift_make_pair(s, SWIFT_EQUALS, subject, swift_pop_type(s));
    return swift_make_pair(s, SWIFT_CONFORMS, subject,
                           kind != '\0' && strchr("bBcC", kind) != NULL
                               ? swift_pop_type(s)
                               : mpdata_swift_pop_protocol(s));
}

static node_ref read_counts(struct swift_name *s, bool has_counts)
{
    node_ref counts[SWIFT_LIST_MAX];
    uint32_t count = 0;
    uint32_t link;
    struct swift_node *list;

    while (has_counts ? !swift_next_is(s, 'l') : count == 0) {
        struct swift_node *const node =
            count < SWIFT_LIST_MAX ? swift_make_node(s, SWIFT_COUNT, 0) : NULL;

        if (node == NULL)
            return NULL;
        node->index = 1;
        if (has_counts && swift_next_is(s, 'z'))
            node->index = 0;
        else if (has_counts && !swift_read_index(s, &node->index))
            return NULL;
        else if (has_counts)
            node->index++;
        counts[count++] = node;
    }
    link = s->link_count;
    list = swift_make_node(s, SWIFT_LIST, count);
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
    return swift_make_pair(s, SWIFT_SIGNATURE, counts,
                           swift_make_list(s, SWIFT_LIST, count));
}

static node_ref read_generic_type(struct swift_name *s)
{
    const node_ref signature = swift_pop(s, SWIFT_SIGNATURE);

    return swift_make_pair(s, SWIFT_GENERIC, signature, swift_pop_type(s));
}

/* A copy with another child at `slot`. */
static node_ref replace_child(struct swift_name *s, node_ref node,
                              uint32_t slot, node_ref child)
{
    const uint32_t link = s->link_count;
    struct swift_node *const copy =
        child != NULL
            ? swift_make_node(s, (enum swift_kind)node->kind, node->count)
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
    return swift_make_2(s, SWIFT_BOUND, nominal, lists[0]);
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
        lists[count] = swift_make_list(s, SWIFT_LIST, types);
        if (lists[count++] == NULL)
            return NULL;
        if (swift_pop(s, SWIFT_EMPTY_LIST) != NULL)
            break;
    } while (swift_pop(s, SWIFT_FIRST) != NULL);
    nominal = swift_pop_nominal(s);
    return nominal != NULL
               ? swift_remember(s, bind_arguments(s, nominal, lists, count))
               : NULL;
}

/* -- all --------------------------------------------------------------------- */

static struct swift_answer found(node_ref node)
{
    return (struct swift_answer){.is_known = true, .node = node};
}

/* long: one operator a line. */
struct swift_answer mpdata_swift_type(struct swift_name *s, char c)
{
    switch (c) {
    case 'A':
        return found(read_substitutions(s));
    case 'B':
        return found(read_builtin(s));
    case 'C':
        return found(read_nominal(s, SWIFT_CLASS));
    case 'E':
        return found(read_extension(s));
    case 'G':
        return found(read_bound(s));
    case 'K':
        return found(swift_make_node(s, SWIFT_THROWS, 0));
    case 'L':
        return found(read_local(s));
    case 'O':
        return found(read_nominal(s, SWIFT_ENUM));
    case 'P':
        return found(read_nominal(s, SWIFT_PROTOCOL));
    case 'Q':
        return found(read_archetype(s));
    case 'R':
        return found(read_requirement(s));
    case 'S':
        return found(read_standard(s));
    case 'V':
        return found(read_nominal(s, SWIFT_STRUCT));
    case 'X':
        return found(read_special_type(s));
    case 'Y':
        return found(read_annotation(s));
    case 'a':
        return found(read_nominal(s, SWIFT_ALIAS));
    case 'c':
        return found(mpdata_swift_pop_arrow(s, ""));
    case 'd':
        return found(swift_make_node(s, SWIFT_VARIADIC, 0));
    case 'h':
        return found(
            swift_make_marked(s, SWIFT_MARKED, "__shared ", swift_pop_type(s)));
    case 'l':
        return found(read_signature(s, false));
    case 'm':
        return found(swift_make_1(s, SWIFT_METATYPE, swift_pop_type(s)));
    case 'n':
        return found(
            swift_make_marked(s, SWIFT_MARKED, "__owned ", swift_pop_type(s)));
    case 'o':
        return found(read_operator(s));
    case 'p':
        return found(pop_protocols(s, false));
    case 'q':
        return found(read_parameter(s));
    case 'r':
        return found(read_signature(s, true));
    case 's':
        return found(swift_make_text(s, SWIFT_MODULE, swift_word("Swift")));
    case 't':
        return found(read_tuple(s));
    case 'u':
        return found(read_generic_type(s));
    case 'x':
        return found(make_parameter(s, 0, 0));
    case 'y':
        return found(swift_make_node(s, SWIFT_EMPTY_LIST, 0));
    case 'z':
        return found(
            swift_make_marked(s, SWIFT_MARKED, "inout ", swift_pop_type(s)));
    case '_':
        return found(swift_make_node(s, SWIFT_FIRST, 0));
    default:
        if (!swift_is_digit(c))
            return (struct swift_answer){.is_known = false};
        s->at--;
        return found(read_identifier(s));
    }
}
