// Where the loaded object lies in memory.
#ifndef HONE_MODULE_H
#define HONE_MODULE_H

#include <stdint.h>

namespace hone {

// Module is a loaded object and the file it came from.
struct Module {
    char path[4096];
    uintptr_t base;  // what its own addresses are relative to
    uintptr_t low, high;
};

// locate_module finds the object that contains the address; module returns it from then on.
void locate_module(const char* path, const void* inside);
const Module& module();

}  // namespace hone

#endif
