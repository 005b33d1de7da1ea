// What the process takes from itself before it loads a candidate.
#ifndef HONE_CONTAIN_H
#define HONE_CONTAIN_H

#include <stddef.h>

#include "message.h"

namespace hone {

struct Limits {
    size_t memory = 0;  // bytes of private memory beyond what the driver took; 0 for no limit
    size_t file = 0;
};

// contain applies every layer that this system has, and adds a line to hello for
// each: on, or off and why. A missing layer stops nothing. The device's context
// must exist: making one takes more than the layers leave. Threads that the driver
// has by now stay outside of Landlock where the system cannot reach them.
void contain(const Limits& limits, Text* hello);

// allow_reading_only_beside takes away reading of everything but system
// libraries, the device, the working directory and the folders of two files.
void allow_reading_only_beside(const char* object, const char* cubin);

// name_of_call names a system call that contain forbids.
const char* name_of_call(int number);

}  // namespace hone

#endif
