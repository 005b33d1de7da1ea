// From a code address in the loaded object to a line of kernel.cu.
#ifndef HONE_LINES_H
#define HONE_LINES_H

#include <stdint.h>

namespace hone {

// line_of reads the object's DWARF line table. It allocates nothing, so that a
// signal handler may call it. 0 when the line is not known.
int line_of(uintptr_t address);

}  // namespace hone

#endif
