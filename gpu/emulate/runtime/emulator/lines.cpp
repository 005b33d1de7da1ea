#include "lines.h"

#include "dwarf.h"
#include "module.h"

#ifdef __linux__
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace hone {

#ifndef __linux__
int line_of(uintptr_t) {
    return 0;
}
#else
namespace {

enum { content_path = 1 };
enum {
    op_extended,
    op_copy,
    op_advance_pc,
    op_advance_line,
    op_set_file,
    op_set_column,
    op_negate,
    op_block,
    op_const_add_pc,
    op_fixed_advance_pc
};
enum { ext_end_sequence = 1, ext_set_address = 2 };

// read_entries reads one of DWARF 5's two tables of names.
void read_entries(Span* unit, const Sections& sections, Files* files) {
    uint64_t formats[8][2];
    uint64_t format_count = unit->number(1);
    if (format_count > 8) unit->failed = true;
    for (uint64_t i = 0; i < format_count && !unit->failed; i++) {
        formats[i][0] = unit->uleb();
        formats[i][1] = unit->uleb();
    }
    uint64_t count = unit->uleb();
    for (uint64_t i = 0; i < count && !unit->failed; i++) {
        const char* path = nullptr;
        for (uint64_t f = 0; f < format_count; f++) {
            Value value = read_value(unit, formats[f][1], sections);
            if (formats[f][0] == content_path) path = value.text;
        }
        if (files != nullptr) files->add(path == nullptr ? "" : path);
    }
}

// read_old_names reads the tables of DWARF 4 and before, where files count from 1.
void read_old_names(Span* unit, Files* files) {
    while (!unit->failed && *unit->string() != 0) {
    }
    files->add("");
    while (!unit->failed) {
        const char* name = unit->string();
        if (*name == 0) break;
        files->add(name);
        unit->uleb();
        unit->uleb();
        unit->uleb();
    }
}

// Program runs the line number program of one unit and looks for an address.
struct Program {
    Span code;
    const Files* files;
    uint64_t target;
    uint64_t minimum, line_range, opcode_base;
    int64_t line_base;
    const unsigned char* operand_counts;

    uint64_t address = 0, file = 1;
    int64_t line = 1;
    bool started = false;
    uint64_t previous = 0;  // address of the row before
    bool in_user = false;   // the row before is of the user's text
    int64_t user_line = 0;  // of the last such row in this sequence
    bool found = false;

    // A row ends the one before it, which found leaves as it was.
    void row() {
        if (started && previous <= target && target < address) {
            found = true;
            return;
        }
        started = true;
        previous = address;
        in_user = files->user(file) && line > 0;
        if (in_user) user_line = line;
    }
    void reset() {
        address = 0, file = 1, line = 1;
        started = false;
        in_user = false;
        user_line = 0;
    }
    void extended() {
        Span operand = code.take(code.uleb());
        switch (operand.number(1)) {
            case ext_end_sequence:
                row();
                if (!found) reset();
                break;
            case ext_set_address:
                address = operand.number(8);
                break;
        }
    }
    void standard(uint64_t opcode) {
        switch (opcode) {
            case op_extended:
                return extended();
            case op_copy:
                return row();
            case op_advance_pc:
                address += code.uleb() * minimum;
                return;
            case op_advance_line:
                line += code.sleb();
                return;
            case op_set_file:
                file = code.uleb();
                return;
            case op_const_add_pc:
                address += (255 - opcode_base) / line_range * minimum;
                return;
            case op_fixed_advance_pc:
                address += code.number(2);
                return;
            default:
                for (int i = 0; i < operand_counts[opcode - 1]; i++) code.uleb();
        }
    }
    void run() {
        while (code.left() > 0 && !code.failed && !found) {
            uint64_t opcode = code.number(1);
            if (opcode < opcode_base) {
                standard(opcode);
                continue;
            }
            uint64_t adjusted = opcode - opcode_base;
            address += adjusted / line_range * minimum;
            line += line_base + int64_t(adjusted % line_range);
            row();
        }
    }
};

int search_unit(Span unit, const Sections& sections, uint64_t target) {
    uint64_t version = unit.number(2);
    if (version < 2 || version > 5) return 0;
    if (version == 5) unit.number(2);  // sizes of an address and a segment selector
    uint64_t header_length = unit.number(4);
    Program program = {};
    program.code = unit.from(header_length);
    program.minimum = unit.number(1);
    if (version >= 4) unit.number(1);  // operations per instruction: 1 but on VLIW machines
    unit.number(1);                    // is_stmt by default
    program.line_base = int8_t(unit.number(1));
    program.line_range = unit.number(1);
    program.opcode_base = unit.number(1);
    if (program.line_range == 0 || program.opcode_base == 0) return 0;
    program.operand_counts = unit.take(program.opcode_base - 1).at;
    Files files;
    if (version == 5) {
        read_entries(&unit, sections, nullptr);
        read_entries(&unit, sections, &files);
    } else {
        read_old_names(&unit, &files);
    }
    if (unit.failed) return 0;
    program.files = &files;
    program.target = target;
    program.file = 1;
    program.line = 1;
    program.run();
    if (!program.found) return 0;
    if (program.in_user) return int(program.user_line);
    // Code of a header: of the user's line it was inlined in, or else that came before it.
    int line = inlined_at(sections, files, target);
    return line > 0 ? line : int(program.user_line);
}

// section finds one by name in an ELF file of this machine's own kind.
Span section(Span file, const char* name) {
    Elf64_Ehdr header;
    if (file.left() < sizeof(header)) return {};
    memcpy(&header, file.at, sizeof(header));
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
    auto entry = [&](unsigned i) {
        Elf64_Shdr s = {};
        Span at = file.from(header.e_shoff + uint64_t(i) * sizeof(s));
        if (at.left() >= sizeof(s)) memcpy(&s, at.at, sizeof(s));
        return s;
    };
    Elf64_Shdr names = entry(header.e_shstrndx);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr s = entry(i);
        if (strcmp(file.from(names.sh_offset + s.sh_name).string(), name) != 0) continue;
        if ((s.sh_flags & SHF_COMPRESSED) != 0) return {};
        return file.from(s.sh_offset).take(s.sh_size);
    }
    return {};
}

int search_file(Span file, uint64_t target) {
    Sections sections = {section(file, ".debug_line"),   section(file, ".debug_line_str"),
                         section(file, ".debug_str"),    section(file, ".debug_info"),
                         section(file, ".debug_abbrev"), section(file, ".debug_rnglists")};
    if (sections.ranges.left() == 0) sections.ranges = section(file, ".debug_ranges");
    while (sections.line.left() >= 4) {
        Span unit = sections.line.take(sections.line.number(4));
        int line = search_unit(unit, sections, target);
        if (line > 0) return line;
    }
    return 0;
}

}  // namespace

int line_of(uintptr_t address) {
    if (address < module().low || address >= module().high) return 0;
    int descriptor = open(module().path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    struct stat status;
    int line = 0;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        size_t size = size_t(status.st_size);
        void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (data != MAP_FAILED) {
            Span file;
            file.at = static_cast<const unsigned char*>(data);
            file.end = file.at + size;
            line = search_file(file, address - module().base);
            munmap(data, size);
        }
    }
    close(descriptor);
    return line;
}
#endif

}  // namespace hone
