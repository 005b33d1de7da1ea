// Launches: their limits, the threads that run their blocks, and what is
// remembered of them for the reply.
#ifndef HONE_LAUNCHES_H
#define HONE_LAUNCHES_H

#include <stdint.h>

#include "message.h"

namespace hone {

// Schedule is the order in which a call runs its blocks and threads: 0 forward,
// 1 in reverse, any other a random one drawn from seed.
struct Schedule {
    long number = 0;
    uint64_t seed = 0;
    uint8_t poison = 0;
    bool checked = false;
};
void set_schedule(const Schedule& schedule);
const Schedule& schedule();

// in_kernel_memory tells whether the address lies in the parameters or the
// thread coordinates of the running kernel.
bool in_kernel_memory(uintptr_t address);

void write_kernels(Text* reply);
void clear_kernels();

}  // namespace hone

#endif
