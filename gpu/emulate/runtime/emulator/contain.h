// What the process takes from itself before it loads a candidate.
#ifndef HONE_CONTAIN_H
#define HONE_CONTAIN_H

#include <stddef.h>

#include "message.h"

namespace hone {

struct Limits {
    size_t memory = 0;  // bytes of private memory; 0 leaves it as it is
    size_t file = 0;
    size_t processes = 0;
};

// contain applies every layer that this system has, and adds a line to hello
// for each: on, or off and why. A missing layer stops nothing.
void contain(const Limits& limits, Text* hello);

// allow_reading_only_beside takes away reading of everything but system
// libraries, the working directory and the folder of the given file.
void allow_reading_only_beside(const char* path);

// name_of_call names a system call that contain forbids.
const char* name_of_call(int number);

}  // namespace hone

#endif
