// The table through which a host object reaches the device.
#ifndef HONE_API_TABLE_H
#define HONE_API_TABLE_H

#include <stddef.h>

#include "driver.h"
#include "hone_api.h"

namespace hone {

const hone_api* api_table();

// add_variable makes a device variable known by the address of its stand-in in
// the host object.
void add_variable(const void* stand_in, Address address, size_t bytes);

// poison_allocations fills what a candidate allocates with a byte; a negative one
// leaves it as it is.
void poison_allocations(int byte);

}  // namespace hone

#endif
