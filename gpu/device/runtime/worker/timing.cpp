#include "timing.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "clock.h"
#include "driver.h"
#include "errors.h"
#include "fault.h"
#include "kernels.h"

namespace hone {
namespace {

constexpr long most_samples = 4096;  // a reply holds them all
constexpr int samples_per_line = 32;
constexpr size_t most_l2 = size_t(1) << 30;

// hone_read reads memory without leaving a dirty line in the cache; hone_wait keeps
// the device busy while the host queues what follows, so that no sample holds the
// host's time for a launch. In PTX, which every device takes.
const char helpers[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry hone_read(.param .u64 from, .param .u64 quads, .param .u64 sink) {
    .reg .pred %p<3>;
    .reg .b32 %r<12>;
    .reg .b64 %d<9>;
    ld.param.u64 %d1, [from];
    ld.param.u64 %d2, [quads];
    ld.param.u64 %d3, [sink];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %nctaid.x;
    mul.wide.u32 %d4, %r1, %r2;
    cvt.u64.u32 %d5, %r3;
    add.u64 %d4, %d4, %d5;
    mul.wide.u32 %d6, %r4, %r2;
    mov.u32 %r5, 0;
next:
    setp.ge.u64 %p1, %d4, %d2;
    @%p1 bra done;
    shl.b64 %d7, %d4, 4;
    add.u64 %d7, %d7, %d1;
    ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%d7];
    xor.b32 %r5, %r5, %r6;
    xor.b32 %r5, %r5, %r7;
    xor.b32 %r5, %r5, %r8;
    xor.b32 %r5, %r5, %r9;
    add.u64 %d4, %d4, %d6;
    bra next;
done:
    setp.ne.u32 %p2, %r5, 0x5eed;
    @%p2 bra end;
    st.global.u32 [%d3], %r5;
end:
    ret;
}
.visible .entry hone_wait(.param .u64 cycles) {
    .reg .pred %p<2>;
    .reg .b64 %d<5>;
    ld.param.u64 %d1, [cycles];
    mov.u64 %d2, %clock64;
again:
    mov.u64 %d3, %clock64;
    sub.u64 %d4, %d3, %d2;
    setp.lt.u64 %p1, %d4, %d1;
    @%p1 bra again;
    ret;
}
)";

void need(const char* call, int code) {
    if (code != 0)
        fail(kind_of(code), suspect_kernel(), "timing: %s: %s (%s)", call, text_of(code), name_of(code));
}

// Flusher empties the cache of what a candidate could find there: it writes twice
// its size, and then reads as much, so that the write-back is over before a sample.
class Flusher {
  public:
    Flusher(size_t l2, Handle stream) : stream_(stream), l2_(l2), bytes_((2 * l2 + 4095) / 4096 * 4096) {
        const Driver& d = driver();
        need("cuModuleLoadData", d.cuModuleLoadData(&module_, helpers));
        need("cuModuleGetFunction", d.cuModuleGetFunction(&read_, module_, "hone_read"));
        need("cuModuleGetFunction", d.cuModuleGetFunction(&wait_, module_, "hone_wait"));
        if (bytes_ == 0) return;
        need("cuMemAlloc", d.cuMemAlloc_v2(&dirty_, bytes_));
        need("cuMemAlloc", d.cuMemAlloc_v2(&clean_, bytes_));
        need("cuMemsetD8", d.cuMemsetD8_v2(clean_, 0, bytes_));
    }
    Flusher(const Flusher&) = delete;
    Flusher& operator=(const Flusher&) = delete;

    size_t l2() const { return l2_; }
    void flush() {
        if (bytes_ == 0) return;
        const Driver& d = driver();
        need("cuMemsetD32", d.cuMemsetD32Async(dirty_, value_++, bytes_ / 4, stream_));
        uint64_t quads = bytes_ / 16;
        void* arguments[] = {&clean_, &quads, &dirty_};
        need("cuLaunchKernel",
             d.cuLaunchKernel(read_, 1024, 1, 1, 256, 1, 1, 0, stream_, arguments, nullptr));
    }
    // wait keeps the device busy for so long, within bounds.
    void wait(int64_t time) {
        constexpr int64_t least = 25'000, most = 500'000;
        uint64_t cycles = 2 * uint64_t(std::clamp(time, least, most));  // no device runs above 2 GHz by much
        void* arguments[] = {&cycles};
        need("cuLaunchKernel",
             driver().cuLaunchKernel(wait_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr));
    }

  private:
    Handle stream_, module_ = nullptr, read_ = nullptr, wait_ = nullptr;
    size_t l2_, bytes_;
    Address dirty_ = 0, clean_ = 0;
    unsigned value_ = 1;
};

// flusher_of keeps one flusher for each size of cache asked for, which are two: the
// device's own and none. Making one costs more than many samples.
Flusher& flusher_of(size_t l2, Handle stream) {
    static std::vector<std::unique_ptr<Flusher>> made;
    for (auto& f : made) {
        if (f->l2() == l2) return *f;
    }
    if (made.size() == 8) fail("request", nullptr, "no more sizes of cache are flushed by one process");
    made.push_back(std::make_unique<Flusher>(l2, stream));
    return *made.back();
}

// Stopwatch is two events of a stream.
class Stopwatch {
  public:
    explicit Stopwatch(Handle stream) : stream_(stream) {
        need("cuEventCreate", driver().cuEventCreate(&from_, 0));
        need("cuEventCreate", driver().cuEventCreate(&to_, 0));
    }
    ~Stopwatch() {
        need("cuEventDestroy", driver().cuEventDestroy_v2(from_) | driver().cuEventDestroy_v2(to_));
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

    void start() { need("cuEventRecord", driver().cuEventRecord(from_, stream_)); }
    void stop() { need("cuEventRecord", driver().cuEventRecord(to_, stream_)); }
    long long elapsed() {
        check_device();
        float milliseconds = 0;
        need("cuEventElapsedTime", driver().cuEventElapsedTime(&milliseconds, from_, to_));
        return static_cast<long long>(double(milliseconds) * 1e6 + 0.5);
    }

  private:
    Handle stream_, from_ = nullptr, to_ = nullptr;
};

// empty_pair is what a stopwatch shows for nothing at all.
long long empty_pair(Flusher* flusher, Stopwatch* watch) {
    long long times[11];
    for (long long& t : times) {
        flusher->wait(0);
        watch->start();
        watch->stop();
        t = watch->elapsed();
    }
    std::sort(std::begin(times), std::end(times));
    return times[5];
}

void write_samples(const std::vector<long long>& samples, Text* reply) {
    for (size_t i = 0; i < samples.size(); i++) {
        if (i % samples_per_line == 0) reply->line("samples");
        reply->field(samples[i]);
    }
}

}  // namespace

Plan read_plan(Fields fields) {
    Plan plan;
    while (const char* name = fields.next_line()) {
        const char* value = fields.next_field();
        if (strcmp(name, "samples") == 0) plan.samples = atol(value);
        if (strcmp(name, "warmup") == 0) plan.warmup = atol(value);
        if (strcmp(name, "method") == 0) plan.cold = strcmp(value, "warm") != 0;
        if (strcmp(name, "l2") == 0) plan.l2 = strtoull(value, nullptr, 10);
        if (strcmp(name, "dim") == 0) plan.dims.push_back(strtoll(value, nullptr, 10));
    }
    if (plan.samples < 1 || plan.samples > most_samples || plan.warmup < 0 || plan.l2 > most_l2)
        fail("request", nullptr, "%ld samples after %ld calls, with %zu bytes of cache: out of range",
             plan.samples, plan.warmup, plan.l2);
    return plan;
}

void time_entry(Entry entry, const Plan& plan, Handle stream, Text* reply) {
    const std::vector<Set>& sets = buffer_sets();
    if (sets.empty()) fail("request", nullptr, "no buffers have been mapped");
    Flusher& flusher = flusher_of(plan.cold ? plan.l2 : 0, stream);
    Stopwatch watch(stream);
    size_t next = 0;
    for (long i = 0; i < plan.warmup; i++) entry(sets[next++ % sets.size()].data(), plan.dims.data(), stream);
    check_device();
    fail_unhandled();
    long long empty = empty_pair(&flusher, &watch);
    std::vector<long long> samples;
    int64_t started = nanoseconds();
    int64_t queueing = 0;  // how long the host took for the last call
    for (long i = 0; i < plan.samples; i++) {
        if (plan.cold) flusher.flush();
        flusher.wait(2 * queueing);
        int64_t queued = nanoseconds();
        watch.start();
        entry(sets[next++ % sets.size()].data(), plan.dims.data(), stream);
        watch.stop();
        queueing = nanoseconds() - queued;
        samples.push_back(watch.elapsed());
    }
    int64_t wall = nanoseconds() - started;
    fail_unhandled();
    reply->line("wall_ns").field(wall);
    reply->line("empty_ns").field(empty);
    write_samples(samples, reply);
}

}  // namespace hone
