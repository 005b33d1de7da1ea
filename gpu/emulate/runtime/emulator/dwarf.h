// The pieces of an object's DWARF that line_of reads. Nothing here allocates or
// trusts what it reads: every read is bounded.
#ifndef HONE_DWARF_H
#define HONE_DWARF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace hone {

// Span is a piece of the file. Reading past its end gives zeros and sets failed.
struct Span {
    const unsigned char* at = nullptr;
    const unsigned char* end = nullptr;
    bool failed = false;

    size_t left() const { return size_t(end - at); }
    uint64_t number(size_t bytes) {
        uint64_t value = 0;
        if (bytes > left()) {
            failed = true;
            at = end;
            return 0;
        }
        memcpy(&value, at, bytes);
        at += bytes;
        return value;
    }
    uint64_t uleb() {
        uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            uint64_t byte = number(1);
            value |= (byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) break;
        }
        return value;
    }
    int64_t sleb() {
        uint64_t value = 0;
        for (int shift = 0; shift < 64;) {
            uint64_t byte = number(1);
            value |= (byte & 0x7f) << shift;
            shift += 7;
            if ((byte & 0x80) != 0) continue;
            if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t(0) << shift;
            break;
        }
        return int64_t(value);
    }
    const char* string() {
        const char* start = reinterpret_cast<const char*>(at);
        size_t size = strnlen(start, left());
        if (size == left()) {
            failed = true;
            at = end;
            return "";
        }
        at += size + 1;
        return start;
    }
    // from returns what lies at an offset, empty when there is nothing.
    Span from(uint64_t offset) const {
        Span rest = *this;
        rest.at = offset < left() ? at + offset : end;
        return rest;
    }
    Span take(uint64_t bytes) {
        Span part = *this;
        if (bytes > left()) {
            failed = true;
            bytes = left();
        }
        part.end = at + bytes;
        at += bytes;
        return part;
    }
};

// Sections are those of one object.
struct Sections {
    Span line, line_strings, strings, info, abbreviations, ranges;
};

// Files says which entries of a unit's file table are the user's text.
class Files {
  public:
    void add(const char* name) {
        const char* base = strrchr(name, '/');
        if (strcmp(base == nullptr ? name : base + 1, "kernel.cu") == 0 && count_ < limit)
            user_[count_] = true;
        count_++;
    }
    bool user(uint64_t file) const { return file < limit && user_[file]; }

  private:
    static constexpr size_t limit = 1024;
    bool user_[limit] = {};
    size_t count_ = 0;
};

// How DWARF writes a value.
enum Form : uint64_t {
    form_addr = 0x01,
    form_block2 = 0x03,
    form_block4 = 0x04,
    form_data2 = 0x05,
    form_data4 = 0x06,
    form_data8 = 0x07,
    form_string = 0x08,
    form_block = 0x09,
    form_block1 = 0x0a,
    form_data1 = 0x0b,
    form_flag = 0x0c,
    form_sdata = 0x0d,
    form_strp = 0x0e,
    form_udata = 0x0f,
    form_ref_addr = 0x10,
    form_ref1 = 0x11,
    form_ref2 = 0x12,
    form_ref4 = 0x13,
    form_ref8 = 0x14,
    form_ref_udata = 0x15,
    form_sec_offset = 0x17,
    form_exprloc = 0x18,
    form_flag_present = 0x19,
    form_data16 = 0x1e,
    form_line_strp = 0x1f,
    form_implicit_const = 0x21,
};

// Value is an attribute as it was read: a number, or where a string lies.
struct Value {
    uint64_t number = 0;
    const char* text = nullptr;
};

// read_value reads one value, and fails the span for a form it does not know.
Value read_value(Span* from, uint64_t form, const Sections& sections);

// inlined_at returns the user's line that the code at an address was inlined
// from, innermost first, or 0 when it was not.
int inlined_at(const Sections& sections, const Files& files, uint64_t address);

}  // namespace hone

#endif
