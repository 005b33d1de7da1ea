// The judge's tensors: device memory of another process, mapped here, or where that
// cannot be, memory of this process's own that is copied from and to a file.
#ifndef HONE_BUFFERS_H
#define HONE_BUFFERS_H

#include <stddef.h>
#include <stdint.h>
#include <vector>

#include "message.h"

namespace hone {

// One set is what a call of hone_entry takes; timing goes round several.
using Set = std::vector<void*>;

// map_buffers takes the place of all sets by those of a message, at addresses that
// differ from the last ones.
void map_buffers(Fields fields, const Incoming& message);
const std::vector<Set>& buffer_sets();

// fill_set and return_set copy what has a file: all of a set's memory from it, and
// what may be written back to it. The device must be idle.
void fill_set(size_t set);
void return_set(size_t set);

// buffer_at names the buffer that holds an address; null where none does. It may
// be called from a signal handler.
const char* buffer_at(uintptr_t address);

}  // namespace hone

#endif
