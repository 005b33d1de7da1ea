// What package compile built: a cubin, and the host object that launches its kernels.
#ifndef HONE_MODULE_H
#define HONE_MODULE_H

#include <stdint.h>
#include <vector>

#include "driver.h"
#include "message.h"

namespace hone {

// Entry runs the candidate's solve.
using Entry = void (*)(void* const* buffers, const int64_t* dims, Handle stream);

// load_module loads what a message names, and returns the host object's entry. An
// object without a cubin was built by nvcc and brings the CUDA runtime.
Entry load_module(Fields fields);

// bind_module gives an object that is loaded the table, and the kernels and variables
// of a cubin, which a list in the form of such a message names.
void bind_module(Fields fields, std::vector<char> cubin, void* object);

}  // namespace hone

#endif
