// What package compile built: a cubin, and the host object that launches its kernels.
#ifndef HONE_MODULE_H
#define HONE_MODULE_H

#include <stdint.h>

#include "driver.h"
#include "message.h"

namespace hone {

// Entry runs the candidate's solve.
using Entry = void (*)(void* const* buffers, const int64_t* dims, Handle stream);

// load_module loads what a message names, and returns the host object's entry. An
// object without a cubin was built by nvcc and brings the CUDA runtime.
Entry load_module(Fields fields);

// bind_module loads the cubin that a list names, in the form of such a message, and
// gives its kernels and the table to an object that is loaded.
void bind_module(Fields fields, void* object);

}  // namespace hone

#endif
