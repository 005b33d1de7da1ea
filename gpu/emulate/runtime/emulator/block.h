// One block at a time on one OS thread: its fibers, barriers and warps.
#ifndef HONE_BLOCK_H
#define HONE_BLOCK_H

#include <stdint.h>

#include "../include/hone_emulate.h"
#include "fiber.h"
#include "shared.h"

namespace hone {

constexpr unsigned lanes = 32;
constexpr unsigned max_threads = 1024;
constexpr unsigned max_warps = max_threads / lanes;

// Order is the sequence in which blocks, and the threads of one, run.
enum class Order { forward, reverse, random };

// Random is a small generator: orders need variety, not quality.
struct Random {
    uint64_t state;
    uint32_t next() {
        state = state * 6364136223846793005 + 1442695040888963407;
        return uint32_t(state >> 33);
    }
};

// choose picks one bit of a mask that is not empty.
inline unsigned choose(uint32_t mask, Order order, Random* random) {
    if (order == Order::forward) return unsigned(__builtin_ctz(mask));
    if (order == Order::reverse) return 31u - unsigned(__builtin_clz(mask));
    for (unsigned skip = random->next() % unsigned(__builtin_popcount(mask)); skip > 0; skip--)
        mask &= mask - 1;
    return unsigned(__builtin_ctz(mask));
}

enum class State : uint8_t { ready, barrier, warp, done };

// Fiber is one CUDA thread of a block that needs a stack of its own.
struct Fiber {
    Context context;
    Stack stack;
    unsigned thread;  // its number in the block
    uint3 index;
    State state;
    int line;  // of the call it waits in, or of the last barrier it passed
    // The warp operation it takes part in.
    WarpOp op;
    uint32_t mask;
    uint64_t value;
    int source;
    uint64_t result;
};

// Meeting is a warp operation that lanes wait in.
struct Meeting {
    WarpOp op;
    uint32_t mask;
    uint32_t arrived;
    int line;  // tells meetings of active lanes apart
};

const char* name_of(WarpOp op);

struct Warp {
    uint32_t ready;
    uint32_t live;
    int meeting_count;
    Meeting meetings[lanes];
    WarpClock clock;
};

// Executor runs blocks on the OS thread that owns it. A fiber never leaves it.
class Executor {
  public:
    Executor() = default;
    Executor(const Executor&) = delete;

    // begin takes up a launch; threads are the indices of a block in the launch's order.
    void begin(const Launch& launch, const uint3* threads, unsigned count, Order order, uint64_t seed,
               bool checked, uint8_t poison);
    void run(uint3 block);

    int barrier(Vote vote, int predicate, int line);
    uint64_t warp(WarpOp op, uint32_t mask, uint64_t value, int source, int line);
    void yield();
    unsigned linear() const;
    // clock_of is the warp clock of the running thread's warp.
    WarpClock& clock_of(unsigned thread) { return warps_[thread / lanes].clock; }

    SharedMemory shared;

  private:
    static void enter();
    Fiber* next();
    void wait();
    void resume(Fiber* fiber);
    void finish(Fiber* fiber);
    void make_ready(unsigned warp, uint32_t mask);
    void open_barrier();
    void note_early_return();
    bool release_active(Warp* warp);
    void complete(Warp* warp, Meeting* meeting);
    void complete_whole(Warp* warp);
    [[noreturn]] void diagnose();
    [[noreturn]] void diagnose_warp(unsigned thread);
    void start_fibers();
    void point_at(unsigned thread);

    const Launch* launch_ = nullptr;
    const uint3* threads_ = nullptr;
    unsigned count_ = 0;
    Order order_ = Order::forward;
    Random random_ = {0};
    bool checked_ = false;
    uint8_t poison_ = 0;

    Context main_;
    Fiber* current_ = nullptr;
    unsigned live_ = 0;
    uint32_t ready_warps_ = 0;
    unsigned arrived_ = 0;  // at the barrier in barrier_line_
    int barrier_line_ = 0;
    bool lines_differ_ = false;
    int count_votes_ = 0;
    int result_[3] = {};  // of the last barrier: count, all, any
    unsigned prepared_ = 0;
    Fiber fibers_[max_threads];
    Warp warps_[max_warps];
};

// Running is what the current OS thread does. launch is null in host code.
struct Running {
    const Launch* launch;
    Executor* executor;
    bool checked;
    // The stack of the current CUDA thread.
    uintptr_t stack_low;
    uintptr_t stack_bytes;
};
extern __thread Running running;

}  // namespace hone

#endif
