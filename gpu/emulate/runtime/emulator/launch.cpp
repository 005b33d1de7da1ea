#include "launch.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <vector>

#include "block.h"
#include "api.h"
#include "fault.h"
#include "signals.h"

namespace hone {
namespace {

constexpr unsigned max_executors = 8;
constexpr size_t pool_stack = 8 << 20;
constexpr size_t parameters_size = 32764;  // CUDA's own limit

Schedule current_schedule;

// Launched is what the reply says of one kernel.
struct Launched {
    char name[128];
    long long count;
    dim3 grid, block;
    size_t shared_bytes;
};
std::vector<Launched> kernels;
constexpr size_t max_kernels = 64;

// Job is one launch being run by the pool.
struct Job {
    const Launch* launch;
    const uint3* threads;
    unsigned thread_count;
    uint64_t blocks;
    uint64_t multiplier, offset;  // of the order of blocks
    std::atomic<uint64_t> next{0};
    std::atomic<size_t> static_bytes{0};
};

Order order() {
    return current_schedule.number == 0   ? Order::forward
           : current_schedule.number == 1 ? Order::reverse
                                          : Order::random;
}

uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// order_blocks makes i -> (i * multiplier + offset) mod blocks the order of the schedule.
void order_blocks(Job* job) {
    job->multiplier = 1;
    job->offset = 0;
    if (order() == Order::reverse) {
        job->multiplier = job->blocks - 1;
        job->offset = job->blocks - 1;
    }
    if (order() != Order::random || job->blocks < 2) return;
    Random random = {current_schedule.seed};
    job->offset = random.next() % job->blocks;
    do {
        job->multiplier = (uint64_t(random.next()) << 31 | random.next()) % job->blocks;
    } while (greatest_common_divisor(job->multiplier, job->blocks) != 1);
}

uint3 block_at(const Job& job, uint64_t i) {
    __extension__ using Wide = unsigned __int128;
    uint64_t n = uint64_t((Wide(i) * job.multiplier + job.offset) % job.blocks);
    const dim3& grid = job.launch->config.grid;
    return {uint32_t(n % grid.x), uint32_t(n / grid.x % grid.y), uint32_t(n / grid.x / grid.y)};
}

// What the running kernel reads beside its own memory.
struct {
    alignas(64) char parameters[parameters_size];
    uint3 threads[max_threads];
} kernel_memory;

// order_threads lists the threads of a block in the order of the schedule.
const uint3* order_threads(dim3 block, unsigned count) {
    uint3* threads = kernel_memory.threads;
    for (unsigned i = 0; i < count; i++) {
        unsigned n = order() == Order::reverse ? count - 1 - i : i;
        threads[i] = {n % block.x, n / block.x % block.y, n / (block.x * block.y)};
    }
    Random random = {current_schedule.seed};
    for (unsigned i = count; order() == Order::random && i > 1; i--) {
        std::swap(threads[i - 1], threads[random.next() % i]);
    }
    return threads;
}

void run_blocks(Job* job, Executor* executor, unsigned executors) {
    executor->begin(*job->launch, job->threads, job->thread_count, order(), current_schedule.seed,
                    current_schedule.checked, current_schedule.poison);
    uint64_t chunk = job->blocks / (executors * 16) + 1;
    for (;;) {
        uint64_t first = job->next.fetch_add(chunk);
        if (first >= job->blocks) break;
        uint64_t last = first + chunk < job->blocks ? first + chunk : job->blocks;
        for (uint64_t i = first; i < last; i++) executor->run(block_at(*job, i));
    }
    size_t bytes = executor->shared.static_bytes();
    for (size_t most = job->static_bytes;
         bytes > most && !job->static_bytes.compare_exchange_weak(most, bytes);) {
    }
    running.launch = nullptr;
}

// Pool is the OS threads that run blocks beside the thread that launched. They
// start with the first launch of more than one block, under the containment
// that then holds, and live as long as the process.
class Pool {
  public:
    void run(Job* job) {
        unsigned helpers = job->blocks > 1 ? start() : 0;
        if (helpers > 0) {
            std::lock_guard<std::mutex> hold(lock_);
            job_ = job;
            helpers_ = helpers + 1;
            busy_ = helpers;
            round_.fetch_add(1, std::memory_order_release);
            wake_.notify_all();
        }
        static Executor executor;
        run_blocks(job, &executor, helpers + 1);
        if (helpers == 0) return;
        for (int spin = 0; busy_.load(std::memory_order_acquire) > 0 && spin < spins; spin++) pause_cpu();
        std::unique_lock<std::mutex> hold(lock_);
        done_.wait(hold, [&] { return busy_.load() == 0; });
    }

  private:
    static constexpr int spins = 2000;

    static void pause_cpu() {
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
    }

    // start makes the pool's threads once and returns how many there are. Fewer than wanted is no fault.
    unsigned start() {
        if (started_) return count_;
        started_ = true;
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, pool_stack);
        while (long(count_) + 1 < cores && count_ + 1 < max_executors) {
            pthread_t thread;
            if (pthread_create(&thread, &attributes, serve, this) != 0) break;
            pthread_detach(thread);
            count_++;
        }
        pthread_attr_destroy(&attributes);
        return count_;
    }

    static void* serve(void* pool) {
        use_signal_stack();
        static_cast<Pool*>(pool)->serve();
        return nullptr;
    }

    void serve() {
        std::unique_ptr<Executor> executor(new Executor());
        for (unsigned seen = 0;;) {
            for (int spin = 0; round_.load(std::memory_order_acquire) == seen && spin < spins; spin++)
                pause_cpu();
            std::unique_lock<std::mutex> hold(lock_);
            wake_.wait(hold, [&] { return round_.load() != seen; });
            seen = round_.load();
            Job* job = job_;
            hold.unlock();
            run_blocks(job, executor.get(), helpers_);
            hold.lock();
            if (busy_.fetch_sub(1, std::memory_order_release) == 1) done_.notify_one();
        }
    }

    std::mutex lock_;
    std::condition_variable wake_, done_;
    std::atomic<unsigned> round_{0}, busy_{0};
    Job* job_ = nullptr;
    unsigned helpers_ = 0, count_ = 0;
    bool started_ = false;
};

// The pool's threads outlive every destructor.
Pool& pool() {
    static Pool* pool = new Pool();
    return *pool;
}

void remember(const Launch& launch, size_t static_bytes) {
    size_t bytes = launch.config.shared_bytes + static_bytes;
    for (Launched& k : kernels) {
        if (strncmp(k.name, launch.name, sizeof(k.name) - 1) != 0) continue;
        k = {{}, k.count + 1, launch.config.grid, launch.config.block, bytes};
        strncpy(k.name, launch.name, sizeof(k.name) - 1);
        return;
    }
    if (kernels.size() == max_kernels) return;
    kernels.push_back({{}, 1, launch.config.grid, launch.config.block, bytes});
    strncpy(kernels.back().name, launch.name, sizeof(kernels.back().name) - 1);
}

// refuse sets the error of a launch that breaks a limit of the device.
bool refuse(const Launch& launch) {
    const dim3 &g = launch.config.grid, &b = launch.config.block;
    uint64_t threads = uint64_t(b.x) * b.y * b.z;
    if (threads == 0 || g.x == 0 || g.y == 0 || g.z == 0) {
        launch_failed(launch, cudaErrorInvalidConfiguration,
                      "its grid (%u,%u,%u) or block (%u,%u,%u) is empty", g.x, g.y, g.z, b.x, b.y, b.z);
        return true;
    }
    if (b.x > max_threads || b.y > max_threads || b.z > 64 || threads > max_threads) {
        launch_failed(launch, cudaErrorInvalidConfiguration,
                      "its block (%u,%u,%u) has %llu threads; the limits are 1024 threads and (1024,1024,64)",
                      b.x, b.y, b.z, static_cast<unsigned long long>(threads));
        return true;
    }
    if (g.x > 0x7fffffff || g.y > 65535 || g.z > 65535) {
        launch_failed(launch, cudaErrorInvalidConfiguration,
                      "its grid (%u,%u,%u) is larger than (2147483647,65535,65535)", g.x, g.y, g.z);
        return true;
    }
    if (launch.config.shared_bytes > shared_limit(launch.function)) {
        launch_failed(launch, cudaErrorInvalidValue,
                      "it asks for %zu bytes of dynamic shared memory; %zu are allowed, %zu after "
                      "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
                      launch.config.shared_bytes, shared_limit(launch.function), block_shared_limit);
        return true;
    }
    return false;
}

std::mutex launching;

}  // namespace

void set_schedule(const Schedule& schedule) {
    current_schedule = schedule;
}
const Schedule& schedule() {
    return current_schedule;
}

void clear_kernels() {
    kernels.clear();
}

void write_kernels(Text* reply) {
    for (const Launched& k : kernels) {
        reply->line("kernel").field(k.name).field(k.count);
        reply->field(k.grid.x).field(k.grid.y).field(k.grid.z);
        reply->field(k.block.x).field(k.block.y).field(k.block.z);
        reply->field(static_cast<long long>(k.shared_bytes));
    }
}

bool in_kernel_memory(uintptr_t address) {
    return address - reinterpret_cast<uintptr_t>(&kernel_memory) < sizeof(kernel_memory);
}

}  // namespace hone

using namespace hone;

// Held until hone_execute is done: the device runs one launch at a time.
void* hone_parameters(size_t bytes, const char* kernel, int line) {
    if (running.launch != nullptr) fail("unsupported", Source::at_line(line), "a kernel launched %s", kernel);
    if (bytes > parameters_size) {
        Launch launch = {nullptr, kernel, line, false, {}, nullptr, nullptr};
        launch_failed(launch, cudaErrorInvalidValue, "its parameters take %zu bytes; %zu are allowed", bytes,
                      parameters_size);
        return nullptr;
    }
    launching.lock();
    return kernel_memory.parameters;
}

void hone_execute(const Launch* launch) {
    std::lock_guard<std::mutex> hold(launching, std::adopt_lock);
    if (refuse(*launch)) return;
    const dim3 &g = launch->config.grid, &b = launch->config.block;
    Job job;
    job.launch = launch;
    job.thread_count = b.x * b.y * b.z;
    job.threads = order_threads(b, job.thread_count);
    job.blocks = uint64_t(g.x) * g.y * g.z;
    order_blocks(&job);
    pool().run(&job);
    remember(*launch, job.static_bytes);
}
