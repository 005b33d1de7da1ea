// Warp operations. The lanes that the mask names meet in the emulator; lanes
// that have returned no longer count. A value read from a lane that takes no
// part is undefined: the emulator gives its poison.
#ifndef HONE_WARP_H
#define HONE_WARP_H

namespace hone {

enum class WarpOp {
    sync,
    shuffle,
    ballot,
    any,
    all,
    match_any,
    match_all,
    add,
    min,
    max,
    min_signed,
    max_signed,
    bit_and,
    bit_or,
    bit_xor,
    active
};

template <class T>
constexpr bool exchangeable =
    arithmetic<T> || same<T, __half> || same<T, __half2> || same<T, __nv_bfloat16> || same<T, __nv_bfloat162>;

template <class T>
HONE_INLINE uint64_t to_bits(T value) {
    static_assert(exchangeable<T>, "warp operations take numbers only");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
HONE_INLINE T from_bits(uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace hone

// hone_warp waits for the lanes in mask and returns the result for this one; source is the lane a shuffle
// reads.
HONE_EMULATOR uint64_t hone_warp(hone::WarpOp op, unsigned mask, uint64_t value, int source, int line);
// hone_lane is the position of the running thread in its warp.
HONE_EMULATOR HONE_THREAD_LOCAL int hone_lane;

HONE_INLINE void __syncwarp(unsigned mask = 0xffffffff, HONE_LINE) {
    hone_warp(hone::WarpOp::sync, mask, 0, 0, line);
}

template <class T>
HONE_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = warpSize, HONE_LINE) {
    int first = hone_lane & ~(width - 1);
    return hone::from_bits<T>(
        hone_warp(hone::WarpOp::shuffle, mask, hone::to_bits(value), first + (source & (width - 1)), line));
}
template <class T>
HONE_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize, HONE_LINE) {
    int lane = hone_lane;
    int source = lane - int(delta);
    if (source < (lane & ~(width - 1))) source = lane;
    return hone::from_bits<T>(hone_warp(hone::WarpOp::shuffle, mask, hone::to_bits(value), source, line));
}
template <class T>
HONE_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize, HONE_LINE) {
    int lane = hone_lane;
    int source = lane + int(delta);
    if (source > (lane | (width - 1))) source = lane;
    return hone::from_bits<T>(hone_warp(hone::WarpOp::shuffle, mask, hone::to_bits(value), source, line));
}
template <class T>
HONE_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize, HONE_LINE) {
    int lane = hone_lane;
    int source = lane ^ lane_mask;
    if (source > (lane | (width - 1))) source = lane;
    return hone::from_bits<T>(hone_warp(hone::WarpOp::shuffle, mask, hone::to_bits(value), source, line));
}

HONE_INLINE unsigned __ballot_sync(unsigned mask, int predicate, HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::ballot, mask, predicate != 0, 0, line));
}
HONE_INLINE int __any_sync(unsigned mask, int predicate, HONE_LINE) {
    return int(hone_warp(hone::WarpOp::any, mask, predicate != 0, 0, line));
}
HONE_INLINE int __all_sync(unsigned mask, int predicate, HONE_LINE) {
    return int(hone_warp(hone::WarpOp::all, mask, predicate != 0, 0, line));
}
HONE_INLINE unsigned __activemask(HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::active, ~0u, 0, 0, line));
}

template <class T>
HONE_INLINE unsigned __match_any_sync(unsigned mask, T value, HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::match_any, mask, hone::to_bits(value), 0, line));
}
template <class T>
HONE_INLINE unsigned __match_all_sync(unsigned mask, T value, int* predicate, HONE_LINE) {
    unsigned lanes = unsigned(hone_warp(hone::WarpOp::match_all, mask, hone::to_bits(value), 0, line));
    *predicate = lanes != 0;
    return lanes;
}

HONE_INLINE unsigned __reduce_add_sync(unsigned mask, unsigned value, HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::add, mask, value, 0, line));
}
HONE_INLINE int __reduce_add_sync(unsigned mask, int value, HONE_LINE) {
    return int(hone_warp(hone::WarpOp::add, mask, unsigned(value), 0, line));
}
HONE_INLINE unsigned __reduce_min_sync(unsigned mask, unsigned value, HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::min, mask, value, 0, line));
}
HONE_INLINE int __reduce_min_sync(unsigned mask, int value, HONE_LINE) {
    return int(hone_warp(hone::WarpOp::min_signed, mask, uint64_t(int64_t(value)), 0, line));
}
HONE_INLINE unsigned __reduce_max_sync(unsigned mask, unsigned value, HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::max, mask, value, 0, line));
}
HONE_INLINE int __reduce_max_sync(unsigned mask, int value, HONE_LINE) {
    return int(hone_warp(hone::WarpOp::max_signed, mask, uint64_t(int64_t(value)), 0, line));
}
HONE_INLINE unsigned __reduce_and_sync(unsigned mask, unsigned value, HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::bit_and, mask, value, 0, line));
}
HONE_INLINE unsigned __reduce_or_sync(unsigned mask, unsigned value, HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::bit_or, mask, value, 0, line));
}
HONE_INLINE unsigned __reduce_xor_sync(unsigned mask, unsigned value, HONE_LINE) {
    return unsigned(hone_warp(hone::WarpOp::bit_xor, mask, value, 0, line));
}

#endif
