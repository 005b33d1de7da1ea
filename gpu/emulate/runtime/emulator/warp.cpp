// Warp operations: the lanes of a mask meet, and the last to come works out the
// results of all.
#include "block.h"
#include "fault.h"

namespace hone {
namespace {

// for_each_lane calls use with the number of each bit that is set, lowest first.
template <class Use>
void for_each_lane(uint32_t mask, Use use) {
    for (; mask != 0; mask &= mask - 1) use(unsigned(__builtin_ctz(mask)));
}

uint64_t combine(WarpOp op, uint64_t a, uint64_t b) {
    switch (op) {
        case WarpOp::add:
            return uint32_t(a + b);
        case WarpOp::min:
            return a < b ? a : b;
        case WarpOp::max:
            return a > b ? a : b;
        case WarpOp::min_signed:
            return int64_t(a) < int64_t(b) ? a : b;
        case WarpOp::max_signed:
            return int64_t(a) > int64_t(b) ? a : b;
        case WarpOp::bit_and:
            return a & b;
        case WarpOp::bit_or:
            return a | b;
        default:
            return a ^ b;
    }
}

uint64_t reduce(WarpOp op, uint32_t arrived, const Fiber* fibers) {
    uint64_t whole = fibers[__builtin_ctz(arrived)].value;
    for_each_lane(arrived & (arrived - 1),
                  [&](unsigned lane) { whole = combine(op, whole, fibers[lane].value); });
    return whole;
}

// lanes_with returns the lanes whose values are wanted.
template <class Wanted>
uint32_t lanes_with(uint32_t arrived, const Fiber* fibers, Wanted wanted) {
    uint32_t found = 0;
    for_each_lane(arrived, [&](unsigned lane) { found |= uint32_t(wanted(fibers[lane].value)) << lane; });
    return found;
}

// one_result is that of an operation which gives every lane the same.
uint64_t one_result(WarpOp op, uint32_t arrived, const Fiber* fibers) {
    auto is_set = [](uint64_t value) { return value != 0; };
    switch (op) {
        case WarpOp::ballot:
            return lanes_with(arrived, fibers, is_set);
        case WarpOp::any:
            return lanes_with(arrived, fibers, is_set) != 0;
        case WarpOp::all:
            return lanes_with(arrived, fibers, is_set) == arrived;
        case WarpOp::active:
            return arrived;
        default:
            return reduce(op, arrived, fibers);
    }
}

void give_results(WarpOp op, uint32_t arrived, Fiber* fibers, uint64_t poison) {
    if (op == WarpOp::sync) return;
    if (op == WarpOp::shuffle) {
        return for_each_lane(arrived, [&](unsigned lane) {
            Fiber& f = fibers[lane];
            f.result = f.source >= 0 && (arrived >> f.source & 1) != 0 ? fibers[f.source].value : poison;
        });
    }
    if (op == WarpOp::match_any || op == WarpOp::match_all) {
        return for_each_lane(arrived, [&](unsigned lane) {
            uint64_t value = fibers[lane].value;
            uint32_t same = lanes_with(arrived, fibers, [=](uint64_t other) { return other == value; });
            fibers[lane].result = op == WarpOp::match_any || same == arrived ? same : 0;
        });
    }
    uint64_t result = one_result(op, arrived, fibers);
    for_each_lane(arrived, [&](unsigned lane) { fibers[lane].result = result; });
}

// join returns the meeting of the operation, a new one when no lane waits in it yet.
Meeting* join(Warp* warp, WarpOp op, uint32_t mask, int line) {
    Meeting* end = warp->meetings + warp->meeting_count;
    for (Meeting* m = warp->meetings; m < end; m++) {
        if (m->op == op && m->mask == mask && m->line == line) return m;
    }
    *end = {op, mask, 0, line};
    warp->meeting_count++;
    return end;
}

}  // namespace

const char* name_of(WarpOp op) {
    switch (op) {
        case WarpOp::sync:
            return "__syncwarp";
        case WarpOp::shuffle:
            return "a shuffle";
        case WarpOp::ballot:
            return "__ballot_sync";
        case WarpOp::any:
            return "__any_sync";
        case WarpOp::all:
            return "__all_sync";
        case WarpOp::match_any:
        case WarpOp::match_all:
            return "a __match_sync";
        case WarpOp::active:
            return "__activemask";
        default:
            return "a __reduce_sync";
    }
}

uint64_t Executor::warp(WarpOp op, uint32_t mask, uint64_t value, int source, int line) {
    if (!launch_->fibers) {
        fail("unsupported", Source::at_line(line), "%s in a function that the emulation did not find",
             name_of(op));
    }
    Fiber* self = current_;
    unsigned lane = self->thread % lanes;
    uint32_t bit = 1u << lane;
    Warp& warp = warps_[self->thread / lanes];
    if ((mask & bit) == 0) {
        fail("barrier_divergence", Source::at_line(line),
             "%s with mask 0x%08x, which leaves out its own lane %u", name_of(op), mask, lane);
    }
    self->op = op, self->mask = mask, self->value = value, self->source = source, self->line = line;
    Meeting* meeting = join(&warp, op, mask, op == WarpOp::active ? line : 0);
    meeting->arrived |= bit;
    if (op != WarpOp::active && meeting->arrived == (mask & warp.live)) {
        complete(&warp, meeting);
        return self->result;
    }
    self->state = State::warp;
    warp.ready &= ~bit;
    wait();
    self->state = State::ready;
    return self->result;
}

// release_active ends a meeting of active lanes when no other lane of the warp can join it any more.
bool Executor::release_active(Warp* warp) {
    for (int i = 0; i < warp->meeting_count; i++) {
        if (warp->meetings[i].op != WarpOp::active) continue;
        complete(warp, &warp->meetings[i]);
        return true;
    }
    return false;
}

// complete_whole completes the meetings in which only lanes that have returned were missing.
void Executor::complete_whole(Warp* warp) {
    for (int i = warp->meeting_count - 1; i >= 0; i--) {
        Meeting& m = warp->meetings[i];
        if (m.op != WarpOp::active && m.arrived == (m.mask & warp->live)) complete(warp, &m);
    }
}

void Executor::complete(Warp* warp, Meeting* meeting) {
    const Meeting m = *meeting;
    *meeting = warp->meetings[--warp->meeting_count];
    unsigned number = unsigned(warp - warps_);
    give_results(m.op, m.arrived, &fibers_[number * lanes], 0x0101010101010101ull * poison_);
    if (m.op != WarpOp::active) warp->clock.meet(m.arrived, warp->live);
    make_ready(number, m.arrived);
}

}  // namespace hone

uint64_t hone_warp(hone::WarpOp op, unsigned mask, uint64_t value, int source, int line) {
    return hone::running.executor->warp(op, mask, value, source, line);
}
