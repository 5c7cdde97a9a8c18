/* dwarf_format.h -- the numbers of DWARF 2 to 5 that its reader knows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DWARF_FORMAT_H
#define MPDATA_DWARF_FORMAT_H

enum {
    DW_VERSION_MIN = 2,
    DW_VERSION_MAX = 5,
    DW_ADDRESS_BYTES = 8,
    DW_OFFSET_BYTES = 4, /* of the 32-bit format, the only one read */
    DW_STR_OFFSETS_HEADER_BYTES = 8,
    DW_RNGLISTS_HEADER_BYTES = 12
};

/* Lengths from here on introduce the 64-bit format or are reserved. */
#define DW_LENGTH_RESERVED UINT32_C(0xfffffff0)
/* The address of code that the linker threw away; of a DWARF 4 range one less,
 * since there it selects a base. */
#define DW_TOMBSTONE UINT64_MAX

enum {
    DW_UT_compile = 0x01,
    DW_UT_type = 0x02,
    DW_UT_partial = 0x03,
    DW_UT_skeleton = 0x04,
    DW_UT_split_compile = 0x05,
    DW_UT_split_type = 0x06
};

enum { DW_TAG_inlined_subroutine = 0x1d, DW_TAG_subprogram = 0x2e };

/* X(name, number): the attributes that are looked at. */
#define DW_ATTRIBUTES(X)         \
    X(name, 0x03)                \
    X(stmt_list, 0x10)           \
    X(low_pc, 0x11)              \
    X(high_pc, 0x12)             \
    X(comp_dir, 0x1b)            \
    X(abstract_origin, 0x31)     \
    X(decl_file, 0x3a)           \
    X(decl_line, 0x3b)           \
    X(specification, 0x47)       \
    X(entry_pc, 0x52)            \
    X(ranges, 0x55)              \
    X(call_column, 0x57)         \
    X(call_file, 0x58)           \
    X(call_line, 0x59)           \
    X(signature, 0x69)           \
    X(linkage_name, 0x6e)        \
    X(str_offsets_base, 0x72)    \
    X(addr_base, 0x73)           \
    X(rnglists_base, 0x74)       \
    X(dwo_name, 0x76)            \
    X(MIPS_linkage_name, 0x2007) \
    X(GNU_dwo_name, 0x2130)      \
    X(GNU_dwo_id, 0x2131)        \
    X(GNU_addr_base, 0x2133)     \
    X(GNU_discriminator, 0x2136)

#define DW_NUMBER(name, number) DW_AT_##name = (number),
enum { DW_ATTRIBUTES(DW_NUMBER) };
#undef DW_NUMBER

/* What a form's value is. */
enum mpdata_dwarf_class {
    MPDATA_DWARF_NONE, /* absent */
    MPDATA_DWARF_OTHER,
    MPDATA_DWARF_CONSTANT, /* unsigned, or of a flag */
    MPDATA_DWARF_ADDRESS,
    MPDATA_DWARF_ADDRESS_INDEX,
    MPDATA_DWARF_OFFSET,       /* into another section */
    MPDATA_DWARF_RANGES_INDEX, /* into the offsets of range lists */
    MPDATA_DWARF_STRING,       /* in place: offset from the section's start */
    MPDATA_DWARF_STRING_OFFSET,
    MPDATA_DWARF_LINE_STRING_OFFSET,
    MPDATA_DWARF_STRING_INDEX,
    MPDATA_DWARF_UNIT_REF, /* from the unit's start */
    MPDATA_DWARF_REF       /* from the section's start */
};

/* How it lies in the file; else so many bytes. */
enum {
    DW_SIZE_ULEB = -1,
    DW_SIZE_SLEB = -2,
    DW_SIZE_STRING = -3,
    DW_SIZE_BLOCK1 = -4,
    DW_SIZE_BLOCK2 = -5,
    DW_SIZE_BLOCK4 = -6,
    DW_SIZE_BLOCK = -7,
    DW_SIZE_UNKNOWN = -8
};

/* X(name, number, size, class) */
#define DW_FORMS(X)                                         \
    X(addr, 0x01, DW_ADDRESS_BYTES, ADDRESS)                \
    X(block2, 0x03, DW_SIZE_BLOCK2, OTHER)                  \
    X(block4, 0x04, DW_SIZE_BLOCK4, OTHER)                  \
    X(data2, 0x05, 2, CONSTANT)                             \
    X(data4, 0x06, 4, CONSTANT)                             \
    X(data8, 0x07, 8, CONSTANT)                             \
    X(string, 0x08, DW_SIZE_STRING, STRING)                 \
    X(block, 0x09, DW_SIZE_BLOCK, OTHER)                    \
    X(block1, 0x0a, DW_SIZE_BLOCK1, OTHER)                  \
    X(data1, 0x0b, 1, CONSTANT)                             \
    X(flag, 0x0c, 1, OTHER)                                 \
    X(sdata, 0x0d, DW_SIZE_SLEB, OTHER)                     \
    X(strp, 0x0e, DW_OFFSET_BYTES, STRING_OFFSET)           \
    X(udata, 0x0f, DW_SIZE_ULEB, CONSTANT)                  \
    X(ref_addr, 0x10, DW_OFFSET_BYTES, REF)                 \
    X(ref1, 0x11, 1, UNIT_REF)                              \
    X(ref2, 0x12, 2, UNIT_REF)                              \
    X(ref4, 0x13, 4, UNIT_REF)                              \
    X(ref8, 0x14, 8, UNIT_REF)                              \
    X(ref_udata, 0x15, DW_SIZE_ULEB, UNIT_REF)              \
    X(sec_offset, 0x17, DW_OFFSET_BYTES, OFFSET)            \
    X(exprloc, 0x18, DW_SIZE_BLOCK, OTHER)                  \
    X(flag_present, 0x19, 0, OTHER)                         \
    X(strx, 0x1a, DW_SIZE_ULEB, STRING_INDEX)               \
    X(addrx, 0x1b, DW_SIZE_ULEB, ADDRESS_INDEX)             \
    X(ref_sup4, 0x1c, 4, OTHER)                             \
    X(strp_sup, 0x1d, DW_OFFSET_BYTES, OTHER)               \
    X(data16, 0x1e, 16, OTHER)                              \
    X(line_strp, 0x1f, DW_OFFSET_BYTES, LINE_STRING_OFFSET) \
    X(ref_sig8, 0x20, 8, OTHER)                             \
    X(implicit_const, 0x21, 0, CONSTANT)                    \
    X(loclistx, 0x22, DW_SIZE_ULEB, OTHER)                  \
    X(rnglistx, 0x23, DW_SIZE_ULEB, RANGES_INDEX)           \
    X(ref_sup8, 0x24, 8, OTHER)                             \
    X(strx1, 0x25, 1, STRING_INDEX)                         \
    X(strx2, 0x26, 2, STRING_INDEX)                         \
    X(strx3, 0x27, 3, STRING_INDEX)                         \
    X(strx4, 0x28, 4, STRING_INDEX)                         \
    X(addrx1, 0x29, 1, ADDRESS_INDEX)                       \
    X(addrx2, 0x2a, 2, ADDRESS_INDEX)                       \
    X(addrx3, 0x2b, 3, ADDRESS_INDEX)                       \
    X(addrx4, 0x2c, 4, ADDRESS_INDEX)

#define DW_NUMBER(name, number, size, class) DW_FORM_##name = (number),
enum { DW_FORMS(DW_NUMBER) DW_FORM_END = 0x2d };
#undef DW_NUMBER

/* Entries of range lists. */
enum {
    DW_RLE_end_of_list = 0,
    DW_RLE_base_addressx = 1,
    DW_RLE_startx_endx = 2,
    DW_RLE_startx_length = 3,
    DW_RLE_offset_pair = 4,
    DW_RLE_base_address = 5,
    DW_RLE_start_end = 6,
    DW_RLE_start_length = 7
};

/* Line tables: what an entry of a file holds, opcodes. */
enum { DW_LNCT_path = 1, DW_LNCT_directory_index = 2 };

enum {
    DW_LNS_extended = 0,
    DW_LNS_copy = 1,
    DW_LNS_advance_pc = 2,
    DW_LNS_advance_line = 3,
    DW_LNS_set_file = 4,
    DW_LNS_set_column = 5,
    DW_LNS_negate_stmt = 6,
    DW_LNS_set_basic_block = 7,
    DW_LNS_const_add_pc = 8,
    DW_LNS_fixed_advance_pc = 9,
    DW_LNS_set_prologue_end = 10,
    DW_LNS_set_epilogue_begin = 11,
    DW_LNS_set_isa = 12
};

enum {
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DW_LNE_define_file = 3,
    DW_LNE_set_discriminator = 4
};

#endif
