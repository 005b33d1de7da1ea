// From a code address in the loaded object to a line of kernel.cu.
#ifndef HONE_LINES_H
#define HONE_LINES_H

#include <stdint.h>

namespace hone {

// Module is a loaded object: where it lies and the file it came from.
struct Module {
    const char* path;
    uintptr_t base;  // what its own addresses are relative to
    uintptr_t low, high;
};

// set_module names the object that addresses are looked up in.
void set_module(const Module& module);
const Module& module();

// line_of reads the object's DWARF line table. It allocates nothing, so that a
// signal handler may call it. 0 when the line is not known.
int line_of(uintptr_t address);

}  // namespace hone

#endif
