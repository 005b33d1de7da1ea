#include "dwarf.h"

namespace hone {
namespace {

enum { tag_compile_unit = 0x11, tag_inlined_subroutine = 0x1d };
enum { at_low_pc = 0x11, at_high_pc = 0x12, at_ranges = 0x55, at_call_file = 0x58, at_call_line = 0x59 };
enum { range_end, range_offset_pair = 4, range_base = 5, range_start_end = 6, range_start_length = 7 };

// Entry is what one debugging entry says, as far as it matters here.
struct Entry {
    uint64_t tag = 0;
    uint64_t low = 0, high = 0, ranges = 0, call_file = 0, call_line = 0;
    bool has_range = false, high_is_length = false, has_ranges = false;
};

// Unit walks over the entries of one compilation unit.
class Unit {
  public:
    Unit(Span info, const Sections& sections) : info_(info), sections_(sections) {
        version_ = info_.number(2);
        if (version_ >= 5) info_.number(2);  // unit type, size of an address
        abbreviations_ = sections.abbreviations.from(info_.number(4));
        if (version_ < 5) info_.number(1);
    }

    int find(const Files& files, uint64_t address) {
        int line = 0;
        if (version_ < 4 || version_ > 5) return 0;
        while (info_.left() > 0 && !info_.failed) {
            Entry e;
            if (!read(&e)) continue;
            if (e.tag == tag_compile_unit) base_ = e.low;
            if (e.tag == tag_inlined_subroutine && files.user(e.call_file) && covers(e, address)) {
                line = int(e.call_line);  // entries nest: a later one lies within
            }
        }
        return line;
    }

  private:
    // read reads the next entry; false for one that only ends a list.
    bool read(Entry* e) {
        uint64_t code = info_.uleb();
        Span abbreviation;
        if (code == 0 || !find_abbreviation(code, &abbreviation)) return false;
        e->tag = abbreviation.uleb();
        abbreviation.number(1);  // whether it has children
        for (;;) {
            uint64_t name = abbreviation.uleb(), form = abbreviation.uleb();
            if ((name == 0 && form == 0) || info_.failed || abbreviation.failed) return !info_.failed;
            Value value;
            if (form == form_implicit_const) {
                value.number = uint64_t(abbreviation.sleb());
            } else {
                value = read_value(&info_, form, sections_);
            }
            keep(e, name, form, value.number);
        }
    }

    static void keep(Entry* e, uint64_t name, uint64_t form, uint64_t number) {
        switch (name) {
            case at_low_pc:
                e->low = number;
                break;
            case at_high_pc:
                e->high = number;
                e->has_range = true;
                e->high_is_length = form != form_addr;
                break;
            case at_ranges:
                e->ranges = number;
                e->has_ranges = form == form_sec_offset;
                break;
            case at_call_file:
                e->call_file = number;
                break;
            case at_call_line:
                e->call_line = number;
                break;
        }
    }

    bool find_abbreviation(uint64_t code, Span* found) {
        Span table = abbreviations_;
        while (!table.failed) {
            uint64_t at = table.uleb();
            if (at == 0) break;
            *found = table;
            if (at == code) return true;
            table.uleb();
            table.number(1);
            for (uint64_t name = 1, form = 1; (name != 0 || form != 0) && !table.failed;) {
                name = table.uleb();
                form = table.uleb();
                if (form == form_implicit_const) table.sleb();
            }
        }
        info_.failed = true;
        return false;
    }

    bool covers(const Entry& e, uint64_t address) {
        if (e.has_range) {
            return address >= e.low && address < (e.high_is_length ? e.low + e.high : e.high);
        }
        if (!e.has_ranges) return false;
        Span list = sections_.ranges.from(e.ranges);
        return version_ < 5 ? in_old_ranges(list, address) : in_ranges(list, address);
    }

    bool in_old_ranges(Span list, uint64_t address) const {
        uint64_t base = base_;
        while (!list.failed) {
            uint64_t low = list.number(8), high = list.number(8);
            if (low == 0 && high == 0) break;
            if (low == ~uint64_t(0)) {
                base = high;
            } else if (address >= base + low && address < base + high) {
                return true;
            }
        }
        return false;
    }

    bool in_ranges(Span list, uint64_t address) const {
        uint64_t base = base_;
        while (!list.failed) {
            uint64_t low = 0, high = 0;
            switch (list.number(1)) {
                case range_base:
                    base = list.number(8);
                    continue;
                case range_offset_pair:
                    low = base + list.uleb();
                    high = base + list.uleb();
                    break;
                case range_start_end:
                    low = list.number(8);
                    high = list.number(8);
                    break;
                case range_start_length:
                    low = list.number(8);
                    high = low + list.uleb();
                    break;
                default:
                    return false;
            }
            if (address >= low && address < high) return true;
        }
        return false;
    }

    Span info_, abbreviations_;
    const Sections& sections_;
    uint64_t version_ = 0, base_ = 0;
};

}  // namespace

Value read_value(Span* from, uint64_t form, const Sections& sections) {
    switch (form) {
        case form_data1:
        case form_flag:
        case form_ref1:
            return {from->number(1), nullptr};
        case form_data2:
        case form_ref2:
            return {from->number(2), nullptr};
        case form_data4:
        case form_ref4:
        case form_ref_addr:
        case form_sec_offset:
            return {from->number(4), nullptr};
        case form_addr:
        case form_data8:
        case form_ref8:
            return {from->number(8), nullptr};
        case form_udata:
        case form_ref_udata:
            return {from->uleb(), nullptr};
        case form_sdata:
            return {uint64_t(from->sleb()), nullptr};
        case form_flag_present:
            return {1, nullptr};
        case form_string:
            return {0, from->string()};
        case form_strp:
            return {0, sections.strings.from(from->number(4)).string()};
        case form_line_strp:
            return {0, sections.line_strings.from(from->number(4)).string()};
        case form_data16:
            from->take(16);
            return {};
        case form_block1:
            from->take(from->number(1));
            return {};
        case form_block2:
            from->take(from->number(2));
            return {};
        case form_block4:
            from->take(from->number(4));
            return {};
        case form_block:
        case form_exprloc:
            from->take(from->uleb());
            return {};
        default:
            from->failed = true;
            return {};
    }
}

int inlined_at(const Sections& sections, const Files& files, uint64_t address) {
    Span info = sections.info;
    while (info.left() >= 4) {
        Span unit = info.take(info.number(4));
        int line = Unit(unit, sections).find(files, address);
        if (line > 0) return line;
    }
    return 0;
}

}  // namespace hone
