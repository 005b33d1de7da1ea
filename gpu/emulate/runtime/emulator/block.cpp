#include "block.h"

#include <exception>
#include <string.h>

#include "fault.h"

HONE_THREAD_LOCAL uint3 threadIdx;
HONE_THREAD_LOCAL uint3 blockIdx;
HONE_THREAD_LOCAL dim3 blockDim;
HONE_THREAD_LOCAL dim3 gridDim;
HONE_THREAD_LOCAL int hone_lane;

namespace hone {

__thread Running running;

namespace {

[[noreturn]] void fail_with_exception() {
    try {
        throw;
    } catch (const std::exception& e) {
        fail("abort", Source(), "the kernel threw an exception: %s", e.what());
    } catch (...) {
        fail("abort", Source(), "the kernel threw an exception");
    }
}

}  // namespace

unsigned Executor::linear() const {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

void Executor::begin(const Launch& launch, const uint3* threads, unsigned count, Order order, uint64_t seed,
                     bool checked, uint8_t poison) {
    launch_ = &launch;
    threads_ = threads;
    count_ = count;
    order_ = order;
    random_ = {seed};
    checked_ = checked;
    poison_ = poison;
    running.launch = &launch;
    running.executor = this;
    running.checked = checked;
    blockDim = launch.config.block;
    gridDim = launch.config.grid;
    shared.begin_launch(launch.config.shared_bytes, checked, poison);
    for (; launch.fibers && prepared_ < count; prepared_++) {
        Fiber& f = fibers_[prepared_];
        f.stack = make_stack();
        if (f.stack.low == nullptr)
            fail("out_of_memory", Source(), "no memory for the stacks of %u threads", count);
        // Stacks that end at the same place of a page would compete for the same lines of the cache.
        f.stack.high -= prepared_ * 7 % 64 * 64;
        prepare(&f.context, f.stack, enter);
    }
}

void Executor::run(uint3 block) {
    blockIdx = block;
    shared.begin_block();
    current_ = nullptr;
    if (launch_->fibers) return start_fibers();
    for (unsigned w = 0; checked_ && w < max_warps; w++) warps_[w].clock.reset();
    // Below this frame lies only what the kernel's own calls put there.
    uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    running.stack_bytes = 4 << 20;
    running.stack_low = here - running.stack_bytes;
    try {
        launch_->run(launch_->call, threads_, count_);
    } catch (...) {
        fail_with_exception();
    }
}

void Executor::start_fibers() {
    for (unsigned i = 0; i < count_; i++) {
        Fiber& f = fibers_[i];
        unsigned x = blockDim.x, y = blockDim.y;
        f.thread = i;
        f.index = {i % x, i / x % y, i / (x * y)};
        f.state = State::ready;
        f.line = 0;
    }
    live_ = count_;
    arrived_ = 0;
    lines_differ_ = false;
    count_votes_ = 0;
    ready_warps_ = 0;
    for (unsigned w = 0; w * lanes < count_; w++) {
        unsigned members = count_ - w * lanes < lanes ? count_ - w * lanes : lanes;
        warps_[w].live = members == lanes ? ~0u : (1u << members) - 1;
        warps_[w].meeting_count = 0;
        warps_[w].clock.reset();
        make_ready(w, warps_[w].live);
        warps_[w].ready = warps_[w].live;
    }
    current_ = next();
    switch_context(&main_, &current_->context);
    if (live_ > 0) diagnose();
}

void Executor::make_ready(unsigned warp, uint32_t mask) {
    warps_[warp].ready |= mask;
    ready_warps_ |= 1u << warp;
}

// enter is the bottom of every fiber's stack. The stack is used for thread after thread.
void Executor::enter() {
    for (;;) {
        Executor* self = running.executor;
        Fiber* fiber = self->current_;
        self->resume(fiber);
        try {
            self->launch_->run(self->launch_->call, &fiber->index, 1);
        } catch (...) {
            fail_with_exception();
        }
        running.executor->finish(fiber);
    }
}

// next returns a thread that can go on, or null when all wait or have returned.
Fiber* Executor::next() {
    while (ready_warps_ != 0) {
        unsigned w = choose(ready_warps_, order_, &random_);
        if (warps_[w].ready != 0) return &fibers_[w * lanes + choose(warps_[w].ready, order_, &random_)];
        if (!release_active(&warps_[w])) ready_warps_ &= ~(1u << w);
    }
    return nullptr;
}

void Executor::resume(Fiber* fiber) {
    threadIdx = fiber->index;
    hone_lane = int(fiber->thread % lanes);
    running.stack_low = reinterpret_cast<uintptr_t>(fiber->stack.low);
    running.stack_bytes = stack_size;
}

// wait lets another thread run and returns when this one is chosen again.
void Executor::wait() {
    Fiber* self = current_;
    Fiber* other = next();
    if (other == self) return;
    current_ = other;
    switch_context(&self->context, other == nullptr ? &main_ : &other->context);
    resume(self);
}

void Executor::finish(Fiber* fiber) {
    unsigned thread = fiber->thread;
    Warp& warp = warps_[thread / lanes];
    fiber->state = State::done;
    warp.live &= ~(1u << thread % lanes);
    warp.ready &= ~(1u << thread % lanes);
    live_--;
    complete_whole(&warp);
    if (arrived_ > 0 && arrived_ == live_) open_barrier();
    wait();
}

void Executor::yield() {
    if (launch_ != nullptr && launch_->fibers) wait();
}

int Executor::barrier(Vote vote, int predicate, int line) {
    if (count_ == 1) {
        shared.shadow()->next_epoch();
        return predicate != 0;
    }
    if (!launch_->fibers) {
        fail("unsupported", Source::at_line(line),
             "__syncthreads in a function that the emulation did not find");
    }
    unsigned thread = current_->thread;
    current_->state = State::barrier;
    current_->line = line;
    if (arrived_++ == 0) barrier_line_ = line;
    if (line != barrier_line_) lines_differ_ = true;
    count_votes_ += predicate != 0;
    warps_[thread / lanes].ready &= ~(1u << thread % lanes);
    if (arrived_ == live_) open_barrier();
    wait();
    fibers_[thread].state = State::ready;
    return vote == Vote::none ? 0 : result_[int(vote) - 1];
}

// open_barrier lets all threads go on that have not returned, which is wrong when they wait in different
// lines. Since Volta a barrier waits for no thread that has returned.
void Executor::open_barrier() {
    if (lines_differ_) diagnose();
    if (checked_ && arrived_ < count_) note_early_return();
    for (unsigned w = 0; w * lanes < count_; w++) make_ready(w, warps_[w].live);
    result_[0] = count_votes_;
    result_[1] = count_votes_ == int(arrived_);
    result_[2] = count_votes_ > 0;
    arrived_ = 0;
    count_votes_ = 0;
    shared.shadow()->next_epoch();
}

void Executor::point_at(unsigned thread) {
    threadIdx = fibers_[thread].index;
}

void Executor::note_early_return() {
    Finding finding = {"early_return", "warning", Source::at_line(barrier_line_), Source()};
    if (!wanted(finding)) return;
    const Fiber* returned = fibers_;
    while (returned->state != State::done) returned++;
    find(finding,
         "thread (%u,%u,%u) returned, while others of block (%u,%u,%u) of %s wait at the __syncthreads in "
         "line "
         "%d: before Volta that is undefined",
         returned->index.x, returned->index.y, returned->index.z, blockIdx.x, blockIdx.y, blockIdx.z,
         launch_->name, barrier_line_);
}

// diagnose says why no thread of the block can go on.
void Executor::diagnose() {
    const Fiber* waiting = nullptr;
    const Fiber* other = nullptr;
    for (unsigned i = 0; i < count_; i++) {
        const Fiber& f = fibers_[i];
        if (f.state == State::warp) diagnose_warp(i);
        if (f.state != State::barrier) continue;
        if (waiting == nullptr) waiting = &f;
        if (other == nullptr && f.line != waiting->line) other = &f;
    }
    point_at(waiting->thread);
    fail("barrier_divergence", Source::at_line(waiting->line),
         "thread (%u,%u,%u) waits at the __syncthreads in line %d, but thread (%u,%u,%u) of the same block "
         "waits at the one in line %d",
         waiting->index.x, waiting->index.y, waiting->index.z, waiting->line, other->index.x, other->index.y,
         other->index.z, other->line);
}

void Executor::diagnose_warp(unsigned thread) {
    const Fiber& f = fibers_[thread];
    const Warp& warp = warps_[thread / lanes];
    uint32_t missing = f.mask & warp.live;
    for (int i = 0; i < warp.meeting_count; i++) {
        if (warp.meetings[i].op == f.op && warp.meetings[i].mask == f.mask)
            missing &= ~warp.meetings[i].arrived;
    }
    unsigned lane = missing == 0 ? 0 : unsigned(__builtin_ctz(missing));
    const Fiber& other = fibers_[thread / lanes * lanes + lane];
    point_at(thread);
    fail(
        "deadlock", Source::at_line(f.line),
        "thread (%u,%u,%u) waits in %s with mask 0x%08x in line %d for lane %u, which waits in %s in line %d",
        f.index.x, f.index.y, f.index.z, name_of(f.op), f.mask, f.line, lane,
        other.state == State::barrier ? "__syncthreads" : name_of(other.op), other.line);
}

}  // namespace hone

using hone::running;

int hone_barrier(hone::Vote vote, int predicate, int line) {
    return running.executor->barrier(vote, predicate, line);
}

void hone_yield() {
    if (running.launch != nullptr) running.executor->yield();
}

void* hone_shared(const void* key, const char* name, int line, size_t bytes, size_t align) {
    return running.executor->shared.variable(key, name, line, bytes, align);
}

void* hone_dynamic_shared() {
    return running.executor->shared.dynamic();
}

void hone_fence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
