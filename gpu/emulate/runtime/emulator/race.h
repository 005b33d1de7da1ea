// Races on shared memory, and reads of what no thread has written: a shadow of
// the arena that remembers the last accesses to each four bytes.
#ifndef HONE_RACE_H
#define HONE_RACE_H

#include <stddef.h>
#include <stdint.h>

namespace hone {

// WarpClock orders the lanes of one warp between two block barriers. Its time
// goes on with every warp operation; a lane knows up to what time the accesses
// of each other lane lie before its own.
class WarpClock {
  public:
    void reset();
    uint32_t now() const { return now_; }
    // meet orders everything the lanes in mask did before everything they do from now on.
    void meet(uint32_t mask, uint32_t live);
    bool before(unsigned earlier_lane, uint32_t time, unsigned lane) const {
        return time < whole_ || (known_[lane] != nullptr_row && time < rows_[known_[lane]][earlier_lane]);
    }

  private:
    static constexpr uint8_t nullptr_row = 255;
    uint32_t now_;
    uint32_t whole_;     // the whole warp met at this time
    uint8_t known_[32];  // the row of rows_ of a lane that met some others since
    uint32_t rows_[32][32];
};

// Access is one thread's access to four bytes.
struct Access {
    uint32_t epoch;  // block barriers passed so far on this OS thread, over all blocks
    uint32_t time;   // of the warp's clock
    uint32_t code;   // address in the object
    uint16_t thread;
    uint8_t bytes : 4;  // a bit each
    bool write : 1;
    bool atomic : 1;
};

// Cell is what the shadow knows of four bytes. Two writers and three readers
// are kept: of different threads, and one reader of another warp.
struct Granule {
    Access writers[2];
    Access readers[3];
};

class Shadow {
  public:
    Shadow() = default;
    Shadow(const Shadow&) = delete;

    // cover makes the shadow of an arena; false when there is no memory for it.
    bool cover(size_t arena_bytes);
    bool covered() const { return granules_ != nullptr; }
    void next_epoch() { epoch_++; }

    void forget(size_t offset, size_t bytes);  // content is undefined again
    void mark_written(size_t offset, size_t bytes);
    bool any_unwritten(size_t offset, size_t bytes) const;
    bool all_unwritten(size_t offset, size_t bytes) const;

    // record adds an access and returns an earlier one that it races with, or null.
    const Access* record(size_t offset, size_t bytes, Access access, const WarpClock& clock);

  private:
    static const Access* conflict(const Granule& granule, const Access& access, const WarpClock& clock);
    static void keep(Granule* granule, const Access& access);

    Granule* granules_ = nullptr;
    uint8_t* written_ = nullptr;
    uint32_t epoch_ = 1;
};

}  // namespace hone

#endif
