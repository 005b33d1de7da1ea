// The kernels of the loaded module, and what became of their launches.
#ifndef HONE_KERNELS_H
#define HONE_KERNELS_H

#include <stddef.h>
#include <vector>

#include "driver.h"
#include "hone_api.h"
#include "message.h"

namespace hone {

struct Kernel {
    char name[512];  // as C++ spells it
    Handle function = nullptr;
    std::vector<size_t> parameters;  // bytes of each
    int registers = 0, local = 0, shared = 0;

    long launches = 0;  // in the call that is counted
    hone_config last = {};
};

// add_kernel takes a kernel of a module, known to the host object by the address
// of the function that stands for it.
Kernel* add_kernel(Handle module, const char* symbol, const char* name, const void* stand_in);
Kernel* kernel_of(const void* stand_in);

// launch checks a launch and queues it. Its result is an error's number.
int launch(Kernel* kernel, const hone_config& config, void** arguments);

// begin_launches forgets all launches; stop_counting leaves their figures as they are.
void begin_launches();
void stop_counting();
long counted_launches();

// suspect_kernel names the kernel that an error of the device belongs to: the only
// one launched since the last time that the device was seen to be fine. It is null
// where that is not known.
const char* suspect_kernel();
void clear_suspects();

// place_faults has every launch waited for, so that an error is its own.
void place_faults(bool on);

void write_kernels(Text* reply);

}  // namespace hone

#endif
