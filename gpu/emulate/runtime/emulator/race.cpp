#include "race.h"

#include <string.h>
#include <sys/mman.h>

namespace hone {
namespace {

constexpr unsigned lanes = 32;

void* zeroed(size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

void WarpClock::reset() {
    now_ = 1;
    whole_ = 0;
    memset(known_, nullptr_row, sizeof(known_));
}

void WarpClock::meet(uint32_t mask, uint32_t live) {
    now_++;
    if (mask == live) {
        whole_ = now_;
        return;
    }
    uint32_t joined[lanes] = {};
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = unsigned(__builtin_ctz(rest));
        for (unsigned other = 0; known_[lane] != nullptr_row && other < lanes; other++) {
            if (rows_[lane][other] > joined[other]) joined[other] = rows_[lane][other];
        }
        joined[lane] = now_;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        unsigned lane = unsigned(__builtin_ctz(rest));
        memcpy(rows_[lane], joined, sizeof(joined));
        known_[lane] = uint8_t(lane);
    }
}

bool Shadow::cover(size_t arena_bytes) {
    if (covered()) return true;
    granules_ = static_cast<Granule*>(zeroed(arena_bytes / 4 * sizeof(Granule)));
    written_ = static_cast<uint8_t*>(zeroed(arena_bytes));
    return granules_ != nullptr && written_ != nullptr;
}

void Shadow::forget(size_t offset, size_t bytes) {
    memset(written_ + offset, 0, bytes);
}
void Shadow::mark_written(size_t offset, size_t bytes) {
    memset(written_ + offset, 1, bytes);
}

bool Shadow::any_unwritten(size_t offset, size_t bytes) const {
    return memchr(written_ + offset, 0, bytes) != nullptr;
}
bool Shadow::all_unwritten(size_t offset, size_t bytes) const {
    return memchr(written_ + offset, 1, bytes) == nullptr;
}

const Access* Shadow::record(size_t offset, size_t bytes, Access access, const WarpClock& clock) {
    access.epoch = epoch_;
    access.time = clock.now();
    const Access* found = nullptr;
    static thread_local Access copy;
    for (size_t at = offset, end = offset + bytes; at < end; at = at / 4 * 4 + 4) {
        size_t stop = at / 4 * 4 + 4 < end ? at / 4 * 4 + 4 : end;
        access.bytes = ((1u << (stop - at)) - 1) << (at % 4) & 15;
        Granule& granule = granules_[at / 4];
        if (found == nullptr) {
            if (const Access* other = conflict(granule, access, clock); other != nullptr) {
                copy = *other;
                found = &copy;
            }
        }
        keep(&granule, access);
    }
    return found;
}

const Access* Shadow::conflict(const Granule& granule, const Access& access, const WarpClock& clock) {
    auto races = [&](const Access& other) {
        if (other.epoch != access.epoch || other.thread == access.thread) return false;
        if ((other.bytes & access.bytes) == 0 || (other.atomic && access.atomic)) return false;
        if (other.thread / lanes != access.thread / lanes) return true;
        return !clock.before(other.thread % lanes, other.time, access.thread % lanes);
    };
    for (const Access& other : granule.writers) {
        if (races(other)) return &other;
    }
    for (const Access& other : granule.readers) {
        if (access.write && races(other)) return &other;
    }
    return nullptr;
}

void Shadow::keep(Granule* granule, const Access& access) {
    if (access.write) {
        Access& last = granule->writers[0];
        if (last.thread == access.thread && last.epoch == access.epoch && last.time == access.time) {
            last.bytes |= access.bytes;
            last.atomic = last.atomic && access.atomic;
            return;
        }
        bool covers = (last.bytes & ~access.bytes) == 0;
        if (!covers) granule->writers[1] = last;
        last = access;
        return;
    }
    Access* r = granule->readers;
    if (r[0].thread != access.thread || r[0].epoch != access.epoch) {
        if (r[0].thread / lanes != access.thread / lanes) r[2] = r[0];
        r[1] = r[0];
    }
    r[0] = access;
}

}  // namespace hone
