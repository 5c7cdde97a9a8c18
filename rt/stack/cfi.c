/* cfi.c -- reads call frame information (.eh_frame). .eh_frame_hdr finds the
 * entry of an address. The entry is a small program that says where the
 * caller's registers are. Only the stack pointer, rbp and the return address
 * are needed, and only the expressions that compilers emit are understood;
 * anything else gives an unknown rule.
 *
 * The input is from the program's own files but may be damaged: every read is
 * bounded by the binary's mapping, every loop by its input.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/cfi.h"

/* Numbers of registers and operations in DWARF. */
#define REG_BP 6
#define REG_SP 7
#define REG_RA 16
#define OP_DEREF 0x06
#define OP_BREG_BP (0x70 + REG_BP)

#define ENC_OMIT 0xff
#define ENC_FORMAT 0x0f
#define ENC_BASE 0x70
#define ENC_PCREL 0x10
#define ENC_INDIRECT 0x80
/* 4 bytes, relative to the header: the encoding that linkers write. */
#define ENC_TABLE 0x3b

#define REMEMBERED_MAX 16

/* -- a bounded reader ------------------------------------------------------ */

struct reader {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
};

static uint64_t read_fixed(struct reader *r, unsigned bytes)
{
    uint64_t value = 0;

    if ((size_t)(r->end - r->at) < bytes) {
        r->failed = true;
        r->at = r->end;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)r->at[i] << (8 * i);
    r->at += bytes;
    return value;
}

static uint64_t read_leb(struct reader *r, bool is_signed)
{
    uint64_t value = 0;
    uint64_t byte;
    unsigned shift = 0;

    do {
        byte = read_fixed(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0);
    if (is_signed && shift < 64 && (byte & 0x40) != 0)
        value |= ~UINT64_C(0) << shift;
    return value;
}

static uint64_t read_uleb(struct reader *r)
{
    return read_leb(r, false);
}

static int64_t read_sleb(struct reader *r)
{
    return (int64_t)read_leb(r, true);
}

static void skip(struct reader *r, uint64_t n)
{
    if (n > (uint64_t)(r->end - r->at)) {
        r->failed = true;
        n = (uint64_t)(r->end - r->at);
    }
    r->at += n;
}

static int64_t sign_extend(uint64_t value, unsigned bytes)
{
    const unsigned shift = 64 - 8 * bytes;

    return (int64_t)(value << shift) >> shift;
}

/* Reads a pointer in one of .eh_frame's encodings. Fails for encodings that do
 * not occur here (relative to text or function, aligned). */
static uint64_t read_encoded(struct reader *r, uint8_t encoding)
{
    const uintptr_t here = (uintptr_t)r->at;
    uint64_t value;

    switch (encoding & ENC_FORMAT) {
    case 0x01:
        value = read_uleb(r);
        break;
    case 0x09:
        value = (uint64_t)read_sleb(r);
        break;
    case 0x02:
        value = read_fixed(r, 2);
        break;
    case 0x0a:
        value = (uint64_t)sign_extend(read_fixed(r, 2), 2);
        break;
    case 0x03:
        value = read_fixed(r, 4);
        break;
    case 0x0b:
        value = (uint64_t)sign_extend(read_fixed(r, 4), 4);
        break;
    case 0x00:
    case 0x04:
    case 0x0c:
        value = read_fixed(r, 8);
        break;
    default:
        r->failed = true;
        return 0;
    }
    switch (encoding & ENC_BASE) {
    case 0:
        return value;
    case ENC_PCREL:
        return value + here;
    default:
        r->failed = true;
        return 0;
    }
}

/* -- entries --------------------------------------------------------------- */

struct cie {
    struct reader program;
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding; /* encoding of addresses in its FDEs */
    bool has_augmentation;
    bool is_signal;
};

/* Reads the length of an entry and limits r to the entry. */
static void enter_entry(struct reader *r)
{
    const uint64_t length = read_fixed(r, 4);

    if (length == 0 || length >= 0xfffffff0 ||
        length > (uint64_t)(r->end - r->at))
        r->failed = true;
    else
        r->end = r->at + length;
}

/* Reads the augmentation data, as its letters say. */
static void read_augmentation(struct cie *cie, struct reader *r,
                              const char *letters)
{
    if (letters[0] == '\0')
        return;
    if (letters[0] != 'z') {
        r->failed = true;
        return;
    }
    cie->has_augmentation = true;
    const uint64_t bytes = read_uleb(r);
    const uint8_t *const start = r->at;
    for (letters++; *letters != '\0' && !r->failed; letters++) {
        if (*letters == 'R') {
            cie->encoding = (uint8_t)read_fixed(r, 1);
        } else if (*letters == 'L') {
            read_fixed(r, 1);
        } else if (*letters == 'P') {
            const uint8_t encoding = (uint8_t)read_fixed(r, 1);
            read_encoded(r, encoding & (uint8_t)~ENC_INDIRECT);
        } else if (*letters == 'S') {
            cie->is_signal = true;
        } else if (*letters != 'B') {
            r->failed = true;
        }
    }
    r->at = start;
    skip(r, bytes);
}

static bool read_cie(struct cie *cie, struct reader r)
{
    *cie = (struct cie){.encoding = 0};
    enter_entry(&r);
    if (read_fixed(&r, 4) != 0)
        return false;
    const uint64_t version = read_fixed(&r, 1);
    const char *const letters = (const char *)r.at;
    while (read_fixed(&r, 1) != 0) {
    }
    if (r.failed || (version != 1 && version != 3))
        return false;
    cie->code_align = read_uleb(&r);
    cie->data_align = read_sleb(&r);
    const uint64_t ra = version == 1 ? read_fixed(&r, 1) : read_uleb(&r);
    read_augmentation(cie, &r, letters);
    cie->program = r;
    return !r.failed && ra == REG_RA;
}

/* -- programs -------------------------------------------------------------- */

enum where { AS_IT_WAS, AT_OFFSET, AT_BP, UNDEFINED, ELSEWHERE };
enum cfa { CFA_UNKNOWN, CFA_SP, CFA_BP, CFA_BP_DEREF };

/* The part of a row that a rule needs. Kept small: a machine stores many rows,
 * and stacks may be small. */
struct row {
    int64_t cfa_offset;
    int64_t bp_offset; /* AT_OFFSET: from the CFA; AT_BP: from rbp */
    uint8_t cfa;
    uint8_t bp; /* where rbp is saved */
    uint8_t ra; /* where the return address is saved; AT_OFFSET: at CFA - 8 */
};

struct machine {
    const struct cie *cie;
    struct reader r;
    uint64_t location;
    uint64_t pc;
    struct row row;
    struct row initial; /* row after the CIE's program */
    struct row remembered[REMEMBERED_MAX];
    unsigned depth;
};

static void set_saved(struct machine *m, uint64_t reg, enum where where,
                      int64_t offset)
{
    if (reg == REG_BP) {
        m->row.bp = (uint8_t)where;
        m->row.bp_offset = offset;
    } else if (reg == REG_RA) {
        m->row.ra =
            (uint8_t)(where == AT_OFFSET && offset != -8 ? ELSEWHERE : where);
    }
}

static void restore(struct machine *m, uint64_t reg)
{
    if (reg == REG_BP) {
        m->row.bp = m->initial.bp;
        m->row.bp_offset = m->initial.bp_offset;
    } else if (reg == REG_RA) {
        m->row.ra = m->initial.ra;
    }
}

/* Reads a block: its length, then its bytes. */
static struct reader take_block(struct reader *r)
{
    const uint64_t bytes = read_uleb(r);
    struct reader block = {r->at, r->at, false};

    skip(r, bytes);
    block.end = r->at;
    return block;
}

/* Whether the expression is "breg_bp offset [deref]"; sets *offset. */
static bool is_bp_expression(struct reader r, bool deref, int64_t *offset)
{
    if (read_fixed(&r, 1) != OP_BREG_BP)
        return false;
    *offset = read_sleb(&r);
    if (deref && read_fixed(&r, 1) != OP_DEREF)
        return false;
    return !r.failed && r.at == r.end;
}

static void set_expression(struct machine *m, uint64_t reg)
{
    const struct reader block = take_block(&m->r);
    int64_t offset = 0;
    const bool is_known =
        reg == REG_BP && is_bp_expression(block, false, &offset);

    set_saved(m, reg, is_known ? AT_BP : ELSEWHERE, offset);
}

static void set_cfa_register(struct machine *m, uint64_t reg)
{
    m->row.cfa = reg == REG_SP ? CFA_SP : reg == REG_BP ? CFA_BP : CFA_UNKNOWN;
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
    set_cfa_register(m, reg);
    m->row.cfa_offset = offset;
}

static void set_cfa_expression(struct machine *m)
{
    int64_t offset = 0;
    const bool is_known = is_bp_expression(take_block(&m->r), true, &offset);

    m->row.cfa = is_known ? CFA_BP_DEREF : CFA_UNKNOWN;
    m->row.cfa_offset = offset;
}

/* Runs an instruction that defines the CFA. */
static bool run_cfa(struct machine *m, uint8_t op)
{
    struct reader *const r = &m->r;
    uint64_t reg;

    switch (op) {
    case 0x0c: /* def_cfa */
        reg = read_uleb(r);
        set_cfa(m, reg, (int64_t)read_uleb(r));
        return true;
    case 0x12: /* def_cfa_sf */
        reg = read_uleb(r);
        set_cfa(m, reg, read_sleb(r) * m->cie->data_align);
        return true;
    case 0x0d: /* def_cfa_register */
        set_cfa_register(m, read_uleb(r));
        return true;
    case 0x0e: /* def_cfa_offset */
        m->row.cfa_offset = (int64_t)read_uleb(r);
        return true;
    case 0x13: /* def_cfa_offset_sf */
        m->row.cfa_offset = read_sleb(r) * m->cie->data_align;
        return true;
    case 0x0f: /* def_cfa_expression */
        set_cfa_expression(m);
        return true;
    default:
        return false;
    }
}

/* Runs an instruction that says where a register is saved. */
static bool run_register(struct machine *m, uint8_t op)
{
    struct reader *const r = &m->r;
    const uint64_t reg = read_uleb(r);

    switch (op) {
    case 0x05: /* offset_extended */
        set_saved(m, reg, AT_OFFSET,
                  (int64_t)read_uleb(r) * m->cie->data_align);
        return true;
    case 0x11: /* offset_extended_sf */
        set_saved(m, reg, AT_OFFSET, read_sleb(r) * m->cie->data_align);
        return true;
    case 0x2f: /* GNU_negative_offset_extended */
        set_saved(m, reg, AT_OFFSET,
                  -((int64_t)read_uleb(r) * m->cie->data_align));
        return true;
    case 0x06: /* restore_extended */
        restore(m, reg);
        return true;
    case 0x07: /* undefined */
        set_saved(m, reg, UNDEFINED, 0);
        return true;
    case 0x08: /* same_value */
        set_saved(m, reg, AS_IT_WAS, 0);
        return true;
    case 0x10: /* expression */
        set_expression(m, reg);
        return true;
    case 0x09: /* register */
    case 0x14: /* val_offset */
        read_uleb(r);
        set_saved(m, reg, ELSEWHERE, 0);
        return true;
    case 0x15: /* val_offset_sf */
        read_sleb(r);
        set_saved(m, reg, ELSEWHERE, 0);
        return true;
    case 0x16: /* val_expression */
        take_block(r);
        set_saved(m, reg, ELSEWHERE, 0);
        return true;
    default:
        return false;
    }
}

/* Runs any other instruction. Sets *count to the number of bytes to advance. */
static bool run_control(struct machine *m, uint8_t op, uint64_t *count)
{
    switch (op) {
    case 0x00: /* nop */
        return true;
    case 0x01: /* set_loc */
        *count = read_encoded(&m->r, m->cie->encoding) - m->location;
        return true;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        *count = read_fixed(&m->r, 1u << (op - 2)) * m->cie->code_align;
        return true;
    case 0x0a: /* remember_state */
        if (m->depth == REMEMBERED_MAX)
            return false;
        m->remembered[m->depth++] = m->row;
        return true;
    case 0x0b: /* restore_state */
        if (m->depth == 0)
            return false;
        m->row = m->remembered[--m->depth];
        return true;
    case 0x2e: /* GNU_args_size */
        read_uleb(&m->r);
        return true;
    default:
        return false;
    }
}

/* Runs a program until the row of m->pc is complete. Returns false if the
 * program is not understood. */
static bool run(struct machine *m, struct reader program)
{
    m->r = program;
    while (m->r.at < m->r.end && !m->r.failed) {
        const uint8_t op = (uint8_t)read_fixed(&m->r, 1);
        const uint8_t low = op & 0x3f;
        uint64_t count = 0;

        if (op >> 6 == 1) {
            count = low * m->cie->code_align;
        } else if (op >> 6 == 2) {
            set_saved(m, low, AT_OFFSET,
                      (int64_t)read_uleb(&m->r) * m->cie->data_align);
        } else if (op >> 6 == 3) {
            restore(m, low);
        } else if (!run_control(m, op, &count) && !run_cfa(m, op) &&
                   !run_register(m, op)) {
            return false;
        }
        /* A row is valid up to the location of the next row. */
        if (count != 0 && m->location + count > m->pc)
            return !m->r.failed;
        m->location += count;
    }
    return !m->r.failed;
}

/* -- from a row to a rule -------------------------------------------------- */

static const struct mprt_rule unknown = {.kind = MPRT_RULE_FRAME_POINTER};

static bool reduce_bp(const struct row *row, struct mprt_rule *rule)
{
    rule->saved = MPRT_SAVED_NOT;
    if (row->bp == AS_IT_WAS || row->bp == UNDEFINED)
        return true;
    if (row->bp == ELSEWHERE)
        return false;
    rule->saved = row->bp == AT_BP ? MPRT_SAVED_AT_BP : MPRT_SAVED_AT_CFA;
    rule->bp_offset = (int16_t)row->bp_offset;
    return rule->bp_offset == row->bp_offset && row->bp_offset % 8 == 0;
}

static struct mprt_rule reduce(const struct row *row, bool is_signal)
{
    struct mprt_rule rule = unknown;

    if (is_signal) {
        rule.kind = MPRT_RULE_SIGNAL;
        return rule;
    }
    if (row->ra == UNDEFINED) {
        rule.kind = MPRT_RULE_END;
        return rule;
    }
    if (row->ra != AT_OFFSET || row->cfa == CFA_UNKNOWN)
        return unknown;
    rule.kind = row->cfa == CFA_SP   ? MPRT_RULE_SP
                : row->cfa == CFA_BP ? MPRT_RULE_BP
                                     : MPRT_RULE_BP_DEREF;
    rule.cfa_offset = (int32_t)row->cfa_offset;
    if (rule.cfa_offset != row->cfa_offset || !reduce_bp(row, &rule))
        return unknown;
    return rule;
}

/* Returns the rule that an FDE gives for pc. The FDE and its CIE are in [start,
 * end). */
static struct mprt_rule parse_fde(const uint8_t *start, const uint8_t *end,
                                  const uint8_t *fde, uintptr_t pc,
                                  struct mprt_cfi_code *code)
{
    struct reader r = {fde, end, false};
    struct cie cie;
    struct machine m;

    enter_entry(&r);
    const uint8_t *const field = r.at;
    const uint64_t distance = read_fixed(&r, 4);
    if (r.failed || distance == 0 || distance > (uint64_t)(field - start))
        return unknown;
    if (!read_cie(&cie, (struct reader){field - distance, end, false}))
        return unknown;
    const uint64_t first = read_encoded(&r, cie.encoding);
    const uint64_t bytes = read_encoded(&r, cie.encoding & ENC_FORMAT);
    if (cie.has_augmentation)
        skip(&r, read_uleb(&r));
    if (r.failed || pc < first || pc - first >= bytes)
        return unknown;
    if (code != NULL)
        *code = (struct mprt_cfi_code){first, first + bytes};
    m.cie = &cie;
    m.location = first;
    m.pc = pc;
    m.depth = 0;
    m.row = (struct row){.cfa = CFA_UNKNOWN};
    m.initial = m.row;
    /* The CIE's program is valid for all locations: it does not advance. */
    if (!run(&m, cie.program))
        return unknown;
    m.initial = m.row;
    if (!run(&m, r))
        return unknown;
    return reduce(&m.row, cie.is_signal);
}

/* -- the entry of an address ----------------------------------------------- */

static int32_t table_word(const uint8_t *table, uint64_t i)
{
    struct reader r = {table + 4 * i, table + 4 * i + 4, false};

    return (int32_t)read_fixed(&r, 4);
}

struct mprt_rule mprt_cfi_find(const struct mprt_object *object, uintptr_t pc,
                               struct mprt_cfi_code *code)
{
    const uint8_t *const hdr = object->eh_frame_hdr;
    const uint8_t *const end = (const uint8_t *)object->end;

    if (hdr == NULL)
        return unknown;
    struct reader r = {hdr, end, false};
    if (read_fixed(&r, 1) != 1)
        return unknown;
    const uint8_t frame_encoding = (uint8_t)read_fixed(&r, 1);
    const uint8_t count_encoding = (uint8_t)read_fixed(&r, 1);
    const uint8_t table_encoding = (uint8_t)read_fixed(&r, 1);
    if (table_encoding != ENC_TABLE || count_encoding == ENC_OMIT)
        return unknown;
    read_encoded(&r, frame_encoding);
    const uint64_t count = read_encoded(&r, count_encoding);
    if (r.failed || count == 0 || count > (uint64_t)(end - r.at) / 8)
        return unknown;
    /* The table has pairs of first address and FDE, ascending, relative to the
     * header. */
    const int64_t wanted = (int64_t)(pc - (uintptr_t)hdr);
    uint64_t low = 0;
    uint64_t high = count;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (table_word(r.at, 2 * middle) <= wanted)
            low = middle;
        else
            high = middle;
    }
    const uint8_t *const fde = hdr + table_word(r.at, 2 * low + 1);
    const uint8_t *const start = (const uint8_t *)object->start;
    if (fde < start || fde >= end)
        return unknown;
    return parse_fde(start, end, fde, pc, code);
}
