// The judge's tensors: device memory of another process, mapped here.
#ifndef HONE_BUFFERS_H
#define HONE_BUFFERS_H

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

// buffer_at names the buffer that holds an address; null where none does. It may
// be called from a signal handler.
const char* buffer_at(uintptr_t address);

}  // namespace hone

#endif
