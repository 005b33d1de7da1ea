// The state behind the host API of the CUDA runtime.
#ifndef HONE_API_H
#define HONE_API_H

#include "../include/hone_emulate.h"

namespace hone {

// shared_limit is what the kernel may ask for as dynamic shared memory.
size_t shared_limit(const void* function);

void launch_failed(const Launch& launch, cudaError_t error, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// begin_call forgets errors; fail_unhandled makes an error that nobody asked for a fault.
void begin_call();
void fail_unhandled();

}  // namespace hone

#endif
