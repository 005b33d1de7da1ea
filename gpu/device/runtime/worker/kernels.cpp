#include "kernels.h"

#include <algorithm>
#include <iterator>
#include <limits.h>
#include <memory>
#include <mutex>
#include <stdio.h>
#include <unordered_map>

#include "errors.h"
#include "fault.h"

namespace hone {
namespace {

constexpr int reported_kernels = 64;

std::mutex lock;  // a candidate may launch from several threads
std::vector<std::unique_ptr<Kernel>> kernels;
std::unordered_map<const void*, Kernel*> by_stand_in;
const Kernel* suspect = nullptr;
bool several = false, counting = false, placing = false;

int attribute_of(const Kernel& k, int attribute) {
    int value = 0;
    driver().cuFuncGetAttribute(&value, attribute, k.function);
    return value;
}

// refusal is the error that the CUDA runtime has for a configuration, where the
// driver says no more than that a value is invalid.
int refusal(const hone_config& c) {
    unsigned long long threads = 1ull * c.block[0] * c.block[1] * c.block[2];
    unsigned long long blocks = 1ull * c.grid[0] * c.grid[1] * c.grid[2];
    bool fits = threads > 0 && blocks > 0 && c.block[2] <= 64 && c.grid[0] < 0x80000000u &&
                c.grid[1] < 0x10000 && c.grid[2] < 0x10000 &&
                threads <= unsigned(device_attribute(max_threads_per_block));
    return fits ? 0 : invalid_configuration;
}

void note(Kernel* kernel, const hone_config& config) {
    std::lock_guard<std::mutex> hold(lock);
    several = several || (suspect != nullptr && suspect != kernel);
    suspect = kernel;
    if (!counting) return;
    kernel->launches++;
    kernel->last = config;
}

int queue(const Kernel& kernel, const hone_config& c, void** arguments) {
    const Driver& d = driver();
    if (c.cooperative != 0) {
        return d.cuLaunchCooperativeKernel(kernel.function, c.grid[0], c.grid[1], c.grid[2], c.block[0],
                                           c.block[1], c.block[2], unsigned(c.shared_bytes), c.stream,
                                           arguments);
    }
    return d.cuLaunchKernel(kernel.function, c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1],
                            c.block[2], unsigned(c.shared_bytes), c.stream, arguments, nullptr);
}

// limiter names what keeps more blocks of a kernel from a multiprocessor, by the
// rules of allocation that devices have had since compute capability 3.
const char* limiter(const Kernel& k, const hone_config& c, int threads) {
    constexpr int warp = 32, register_step = 256;
    int warps = (threads + warp - 1) / warp;
    long per_warp = (long(k.registers) * warp + register_step - 1) / register_step * register_step;
    long shared = k.shared + long(c.shared_bytes) + device_attribute(reserved_shared_bytes);
    struct {
        const char* name;
        long blocks;
    } limits[] = {
        {"threads", device_attribute(max_threads_per_multiprocessor) / (long(warps) * warp)},
        {"registers",
         per_warp == 0 ? LONG_MAX : device_attribute(registers_per_multiprocessor) / per_warp / warps},
        {"shared memory",
         shared == 0 ? LONG_MAX : device_attribute(shared_bytes_per_multiprocessor) / shared},
        {"blocks", device_attribute(max_blocks_per_multiprocessor)},
    };
    return std::min_element(std::begin(limits), std::end(limits),
                            [](const auto& a, const auto& b) { return a.blocks < b.blocks; })
        ->name;
}

}  // namespace

Kernel* add_kernel(Handle module, const char* symbol, const char* name, const void* stand_in) {
    auto kernel = std::make_unique<Kernel>();
    snprintf(kernel->name, sizeof(kernel->name), "%s", name);
    int code = driver().cuModuleGetFunction(&kernel->function, module, symbol);
    if (code != 0) fail("load", name, "the module has no %s: %s", symbol, text_of(code));
    kernel->registers = attribute_of(*kernel, registers);
    kernel->local = attribute_of(*kernel, local_bytes);
    kernel->shared = attribute_of(*kernel, static_shared_bytes);
    if (stand_in != nullptr) by_stand_in[stand_in] = kernel.get();
    kernels.push_back(std::move(kernel));
    return kernels.back().get();
}

Kernel* kernel_of(const void* stand_in) {
    auto found = by_stand_in.find(stand_in);
    return found == by_stand_in.end() ? nullptr : found->second;
}

int launch(Kernel* kernel, const hone_config& config, void** arguments) {
    int code = refusal(config);
    if (code == 0) code = queue(*kernel, config, arguments);
    if (code == 0) {
        note(kernel, config);
        if (placing) check_device();
        return 0;
    }
    char what[1024];
    snprintf(what, sizeof(what),
             "the launch of %s with grid (%u,%u,%u), block (%u,%u,%u) and %zu bytes of shared memory",
             kernel->name, config.grid[0], config.grid[1], config.grid[2], config.block[0], config.block[1],
             config.block[2], config.shared_bytes);
    return keep_error(code, what, kernel->name);
}

void begin_launches() {
    std::lock_guard<std::mutex> hold(lock);
    for (auto& k : kernels) k->launches = 0;
    suspect = nullptr;
    several = false;
    counting = true;
}

void stop_counting() {
    std::lock_guard<std::mutex> hold(lock);
    counting = false;
}

long counted_launches() {
    std::lock_guard<std::mutex> hold(lock);
    long all = 0;
    for (const auto& k : kernels) all += k->launches;
    return all;
}

const char* suspect_kernel() {
    std::lock_guard<std::mutex> hold(lock);
    return suspect == nullptr || several ? nullptr : suspect->name;
}

void clear_suspects() {
    std::lock_guard<std::mutex> hold(lock);
    suspect = nullptr;
    several = false;
}

void place_faults(bool on) {
    placing = on;
}

void write_kernels(Text* reply) {
    int most = device_attribute(max_threads_per_multiprocessor), written = 0;
    for (const auto& k : kernels) {
        if (k->launches == 0 || written++ == reported_kernels) continue;
        const hone_config& c = k->last;
        int threads = int(c.block[0] * c.block[1] * c.block[2]), blocks = 0;
        driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k->function, threads, c.shared_bytes);
        reply->line("kernel").field(k->name).field(k->launches);
        for (unsigned n : c.grid) reply->field(n);
        for (unsigned n : c.block) reply->field(n);
        reply->field(static_cast<long long>(c.shared_bytes) + k->shared);
        reply->field(k->registers)
            .field(k->local)
            .field(1ll * blocks * threads)
            .field(most)
            .field(limiter(*k, c, threads));
    }
}

}  // namespace hone
