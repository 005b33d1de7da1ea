#ifndef HONE_CLOCK_H
#define HONE_CLOCK_H

#include <stdint.h>
#include <time.h>

namespace hone {

// nanoseconds is the host's clock.
inline int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

}  // namespace hone

#endif
