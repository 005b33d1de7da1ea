// The worker's own kernels: what a timing needs on the device beside the candidate.
#ifndef HONE_HELPERS_H
#define HONE_HELPERS_H

#include <stddef.h>
#include <stdint.h>

#include "driver.h"

namespace hone {

// need makes an error of a call that a timing depends on a fault.
void need(const char* call, int code);

// load_helpers compiles the kernels, which would otherwise cost the first timing.
void load_helpers();

// queue_read reads memory without leaving a dirty line in the cache. The sink is
// where it could store, and never does.
void queue_read(Address from, size_t bytes, Address sink, Handle stream);

// queue_wait keeps the device busy for about so many nanoseconds.
void queue_wait(int64_t time, Handle stream);

// queue_nothing launches a kernel that does nothing. Its result is an error's number.
int queue_nothing(Handle stream);

}  // namespace hone

#endif
