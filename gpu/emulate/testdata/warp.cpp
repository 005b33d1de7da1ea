#include "expect.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
constexpr unsigned full = 0xffffffff;

__global__ void shuffles(int* failed) {
    int lane = threadIdx.x % 32;
    EXPECT(__shfl_sync(full, lane, 5) == 5);
    EXPECT(__shfl_sync(full, lane * 1.5f, 37) == 5 * 1.5f);
    EXPECT(__shfl_sync(full, lane, 3, 8) == lane / 8 * 8 + 3);
    EXPECT(__shfl_up_sync(full, lane, 4) == (lane < 4 ? lane : lane - 4));
    EXPECT(__shfl_up_sync(full, lane, 1, 16) == (lane % 16 == 0 ? lane : lane - 1));
    EXPECT(__shfl_down_sync(full, lane, 4) == (lane > 27 ? lane : lane + 4));
    EXPECT(__shfl_down_sync(full, (long long)lane << 40, 3, 4) == (long long)(lane % 4 == 0 ? lane + 3 : lane) << 40);
    EXPECT(__shfl_xor_sync(full, double(lane), 9) == double(lane ^ 9));
    EXPECT(__half2float(__shfl_sync(full, __float2half(lane), 7)) == 7);
    EXPECT(__low2float(__shfl_xor_sync(full, __floats2half2_rn(lane, 1), 1)) == (lane ^ 1));
    EXPECT(__shfl_sync(full, (unsigned char)lane, 9) == 9);
}

__global__ void votes(int* failed) {
    int lane = threadIdx.x % 32;
    EXPECT(__ballot_sync(full, lane % 2) == 0xaaaaaaaa);
    EXPECT(__any_sync(full, lane == 31) && !__any_sync(full, lane > 31));
    EXPECT(__all_sync(full, lane < 32) && !__all_sync(full, lane < 31));
    EXPECT(__match_any_sync(full, lane / 4) == 0xfu << (lane / 4 * 4));
    int same;
    EXPECT(__match_all_sync(full, 3.0f, &same) == full && same == 1);
    EXPECT(__match_all_sync(full, lane, &same) == 0 && same == 0);
    EXPECT(__reduce_add_sync(full, lane) == 496 && __reduce_add_sync(full, 1u) == 32);
    EXPECT(__reduce_min_sync(full, lane - 16) == -16 && __reduce_max_sync(full, -lane) == 0);
    EXPECT(__reduce_max_sync(full, unsigned(lane)) == 31u && __reduce_min_sync(full, unsigned(lane) + 1) == 1u);
    EXPECT(__reduce_or_sync(full, 1u << lane) == full && __reduce_and_sync(full, ~(1u << lane)) == 0u);
    EXPECT(__reduce_xor_sync(full, 1u << lane) == full);
}

// Halves of a warp go their own ways, meet among themselves, and meet again.
__global__ void divergent(int* failed) {
    int lane = threadIdx.x % 32;
    int sum = lane;
    if (lane < 16) {
        for (int s = 8; s > 0; s /= 2) sum += __shfl_xor_sync(0xffff, sum, s);
        EXPECT(sum == 120);
    } else {
        for (int s = 8; s > 0; s /= 2) sum += __shfl_xor_sync(0xffff0000, sum, s);
        EXPECT(sum == 376);
        __syncwarp(0xffff0000);
    }
    __syncwarp();
    EXPECT(__shfl_xor_sync(full, sum, 16) == (lane < 16 ? 376 : 120));
}

__global__ void returned(int* failed) {
    int lane = threadIdx.x % 32;
    if (lane >= 20) return;
    EXPECT(__ballot_sync(full, 1) == 0xfffff);
    EXPECT(__reduce_add_sync(full, 1u) == 20u);
    __syncwarp();
}

__global__ void active(int* failed, int* counts) {
    int lane = threadIdx.x % 32;
    if (lane % 3 == 0) {
        unsigned mask = __activemask();
        EXPECT(mask == 0x49249249);
        int leader = __ffs(mask) - 1;
        int base = 0;
        if (lane == leader) base = atomicAdd(counts, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        EXPECT(base % 11 == 0);
    } else {
        EXPECT(__popc(__activemask()) == 21);
    }
    EXPECT(__activemask() == full);
}

__global__ void groups(int* failed) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<4>(warp);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
    EXPECT(block.thread_rank() == threadIdx.x + blockDim.x * threadIdx.y && block.size() == 64);
    EXPECT(cg::reduce(warp, 1.0f, cg::plus<float>()) == 32);
    EXPECT(cg::reduce(quad, int(quad.thread_rank()), cg::greater<int>()) == 3);
    EXPECT(cg::reduce(eight, int(eight.thread_rank()), cg::less<>()) == 0);
    EXPECT(quad.shfl(int(quad.thread_rank()), 2) == 2 && quad.ballot(1) == 0xf && quad.any(quad.thread_rank() == 3));
    EXPECT(eight.meta_group_rank() == block.thread_rank() / 8 && eight.meta_group_size() == 8);
    if (warp.thread_rank() > 9) {
        auto lanes = cg::coalesced_threads();
        EXPECT(lanes.size() == 22 && lanes.thread_rank() == warp.thread_rank() - 10);
        EXPECT(lanes.shfl(int(warp.thread_rank()), 1) == 11 && lanes.all(1));
    }
    cg::sync(block);
    warp.sync();
}

// A thread that spins on another of its own block lets it run.
__global__ void lock(int* failed, int* mutex, int* count) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(mutex, 0, 1) != 0) {
        }
        int old = *count;
        __nanosleep(10);
        *count = old + 1;
        __threadfence();
        atomicExch(mutex, 0);
    }
    __syncthreads();
    EXPECT(*count == 8);
}

extern "C" void hone_entry(void* const* buffers, const int64_t*) {
    int* failed = (int*)buffers[0];
    int* scratch = (int*)buffers[1];
    RUN(shuffles, 1, 2, 64, failed);
    RUN(votes, 1, 2, 64, failed);
    RUN(divergent, 1, 2, 64, failed);
    RUN(returned, 1, 2, 64, failed);
    cudaMemset(scratch, 0, 8);
    RUN(active, 1, 2, 64, failed, scratch);
    RUN(groups, 1, 2, dim3(16, 4), failed);
    cudaMemset(scratch, 0, 8);
    RUN(lock, 1, 1, 256, failed, scratch, scratch + 1);
}
