// What the driver needs of the system once the process has contained itself.
#ifndef HONE_NEEDS_H
#define HONE_NEEDS_H

#include <stddef.h>

#include "contain.h"

namespace hone {

// needs_of_driver are its files, the nodes of the device, and the names of threads,
// which it sets. The device's context must exist: making one takes more.
Needs needs_of_driver();

// private_memory is how much of what a limit of memory counts the process has: with
// a context it is more than a candidate should be given.
size_t private_memory();

}  // namespace hone

#endif
