// Cooperative groups within a block: the block itself, tiles of a warp, and the
// lanes that run together. Groups larger than a block are absent.
#ifndef HONE_GROUPS_H
#define HONE_GROUPS_H

namespace cooperative_groups {

class thread_block {
  public:
    HONE_INLINE static void sync(HONE_LINE) { __syncthreads(line); }
    HONE_INLINE static unsigned thread_rank() {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    HONE_INLINE static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    HONE_INLINE static unsigned size() { return num_threads(); }
    HONE_INLINE static dim3 group_index() { return blockIdx; }
    HONE_INLINE static dim3 thread_index() { return threadIdx; }
    HONE_INLINE static dim3 group_dim() { return blockDim; }
    HONE_INLINE static dim3 dim_threads() { return blockDim; }
};

class grid_group {
  public:
    HONE_INLINE static unsigned long long block_rank() {
        return blockIdx.x +
               (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    HONE_INLINE static unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    HONE_INLINE static unsigned long long thread_rank() {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    HONE_INLINE static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
    HONE_INLINE static unsigned long long size() { return num_threads(); }
    HONE_INLINE static dim3 group_dim() { return gridDim; }
    HONE_INLINE static dim3 dim_blocks() { return gridDim; }
};

// lane_rank needs no fibers, unlike hone_lane.
HONE_INLINE int lane_rank() {
    return int(thread_block::thread_rank() % 32);
}

HONE_INLINE thread_block this_thread_block() {
    return {};
}
HONE_INLINE grid_group this_grid() {
    return {};
}

// Tile is 1, 2, 4, 8, 16 or 32 neighbouring lanes of a warp.
template <unsigned width, class Parent = void>
class thread_block_tile {
    static_assert(width > 0 && width <= 32 && (width & (width - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");

  public:
    thread_block_tile() = default;
    template <class Other>
    HONE_INLINE thread_block_tile(const thread_block_tile<width, Other>&) {}
    HONE_INLINE static unsigned mask() {
        return (width == 32 ? ~0u : (1u << width % 32) - 1) << (lane_rank() & ~int(width - 1));
    }
    HONE_INLINE static void sync(HONE_LINE) { __syncwarp(mask(), line); }
    HONE_INLINE static unsigned thread_rank() { return unsigned(lane_rank()) & (width - 1); }
    HONE_INLINE static constexpr unsigned num_threads() { return width; }
    HONE_INLINE static constexpr unsigned size() { return width; }
    HONE_INLINE static unsigned meta_group_rank() { return thread_block::thread_rank() / width; }
    HONE_INLINE static unsigned meta_group_size() {
        return (thread_block::num_threads() + width - 1) / width;
    }
    template <class T>
    HONE_INLINE T shfl(T value, int rank, HONE_LINE) const {
        return __shfl_sync(mask(), value, rank, width, line);
    }
    template <class T>
    HONE_INLINE T shfl_up(T value, unsigned delta, HONE_LINE) const {
        return __shfl_up_sync(mask(), value, delta, width, line);
    }
    template <class T>
    HONE_INLINE T shfl_down(T value, unsigned delta, HONE_LINE) const {
        return __shfl_down_sync(mask(), value, delta, width, line);
    }
    template <class T>
    HONE_INLINE T shfl_xor(T value, int lane_mask, HONE_LINE) const {
        return __shfl_xor_sync(mask(), value, lane_mask, width, line);
    }
    HONE_INLINE int any(int predicate, HONE_LINE) const { return __any_sync(mask(), predicate, line); }
    HONE_INLINE int all(int predicate, HONE_LINE) const { return __all_sync(mask(), predicate, line); }
    HONE_INLINE unsigned ballot(int predicate, HONE_LINE) const {
        return __ballot_sync(mask(), predicate, line) >> (lane_rank() & ~int(width - 1));
    }
    template <class T>
    HONE_INLINE unsigned match_any(T value, HONE_LINE) const {
        return __match_any_sync(mask(), value, line) >> (lane_rank() & ~int(width - 1));
    }
};

template <unsigned width, class Parent>
HONE_INLINE thread_block_tile<width, Parent> tiled_partition(const Parent&) {
    return {};
}

// coalesced_group is the lanes of a warp that reached coalesced_threads together.
class coalesced_group {
  public:
    HONE_INLINE explicit coalesced_group(unsigned mask) : mask_(mask) {}
    HONE_INLINE void sync(HONE_LINE) const { __syncwarp(mask_, line); }
    HONE_INLINE unsigned thread_rank() const { return unsigned(__popc(mask_ & ((1u << lane_rank()) - 1))); }
    HONE_INLINE unsigned num_threads() const { return unsigned(__popc(mask_)); }
    HONE_INLINE unsigned size() const { return num_threads(); }
    HONE_INLINE int any(int predicate, HONE_LINE) const { return __any_sync(mask_, predicate, line); }
    HONE_INLINE int all(int predicate, HONE_LINE) const { return __all_sync(mask_, predicate, line); }
    template <class T>
    HONE_INLINE T shfl(T value, unsigned rank, HONE_LINE) const {
        return __shfl_sync(mask_, value, lane_of(rank), warpSize, line);
    }
    template <class T>
    HONE_INLINE T shfl_up(T value, unsigned delta, HONE_LINE) const {
        unsigned rank = thread_rank();
        return __shfl_sync(mask_, value, lane_of(rank < delta ? rank : rank - delta), warpSize, line);
    }
    template <class T>
    HONE_INLINE T shfl_down(T value, unsigned delta, HONE_LINE) const {
        unsigned rank = thread_rank();
        return __shfl_sync(mask_, value, lane_of(rank + delta < size() ? rank + delta : rank), warpSize,
                           line);
    }

  private:
    HONE_INLINE int lane_of(unsigned rank) const {
        unsigned rest = mask_;
        for (; rank > 0; rank--) rest &= rest - 1;
        return __ffs(int(rest)) - 1;
    }
    unsigned mask_;
};

HONE_INLINE coalesced_group coalesced_threads(HONE_LINE) {
    return coalesced_group(__activemask(line));
}

template <class Group>
HONE_INLINE void sync(const Group& group, HONE_LINE) {
    group.sync(line);
}

#define HONE_OPERATION(name, expression)                                \
    template <class T = void>                                           \
    struct name {                                                       \
        HONE_INLINE T operator()(T a, T b) const { return expression; } \
    };                                                                  \
    template <>                                                         \
    struct name<void> {                                                 \
        template <class T>                                              \
        HONE_INLINE T operator()(T a, T b) const {                      \
            return expression;                                          \
        }                                                               \
    };
HONE_OPERATION(plus, a + b)
HONE_OPERATION(less, b < a ? b : a)
HONE_OPERATION(greater, a < b ? b : a)
HONE_OPERATION(bit_and, a& b)
HONE_OPERATION(bit_or, a | b)
HONE_OPERATION(bit_xor, a ^ b)
#undef HONE_OPERATION

// reduce combines the values of all threads of a tile, and gives each the result.
template <unsigned width, class Parent, class T, class Operation>
HONE_INLINE T reduce(const thread_block_tile<width, Parent>& tile, T value, Operation operation, HONE_LINE) {
    for (unsigned step = width / 2; step > 0; step /= 2) {
        value = operation(value, tile.shfl_xor(value, int(step), line));
    }
    return value;
}

}  // namespace cooperative_groups

#endif
