#include "timing.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "clock.h"
#include "driver.h"
#include "errors.h"
#include "fault.h"
#include "graph.h"
#include "helpers.h"

namespace hone {
namespace {

constexpr long most_samples = 4096;  // a reply holds them all
constexpr int samples_per_line = 32;
constexpr size_t most_l2 = size_t(1) << 30;
constexpr int64_t run_time = 2'000'000;  // of a sustained sample, in nanoseconds
constexpr long most_calls = 1000;        // of a sustained sample: about what a stream takes at once
constexpr int64_t least_wait = 25'000, short_wait = 500'000, long_wait = 5'000'000;
constexpr int pairs = 21;  // of events, for what they show by themselves

using Step = std::function<void()>;

// Flusher empties the cache of what a candidate could find there: it writes twice
// its size, and then reads as much, so that the write-back is over before a sample.
class Flusher {
  public:
    explicit Flusher(size_t l2) : l2_(l2), bytes_((2 * l2 + 4095) / 4096 * 4096) {
        if (bytes_ == 0) return;
        const Driver& d = driver();
        need("cuMemAlloc", d.cuMemAlloc_v2(&dirty_, bytes_));
        need("cuMemAlloc", d.cuMemAlloc_v2(&clean_, bytes_));
        need("cuMemsetD8", d.cuMemsetD8_v2(clean_, 0, bytes_));
    }
    Flusher(const Flusher&) = delete;
    Flusher& operator=(const Flusher&) = delete;

    size_t l2() const { return l2_; }
    void flush(Handle stream) {
        if (bytes_ == 0) return;
        need("cuMemsetD32", driver().cuMemsetD32Async(dirty_, value_++, bytes_ / 4, stream));
        queue_read(clean_, bytes_, dirty_, stream);
    }

  private:
    size_t l2_, bytes_;
    Address dirty_ = 0, clean_ = 0;
    unsigned value_ = 1;
};

// flusher_of keeps one flusher for each size of cache asked for, which are two: the
// device's own and none. Making one costs more than many samples.
Flusher& flusher_of(size_t l2) {
    static std::vector<std::unique_ptr<Flusher>> made;
    for (auto& f : made) {
        if (f->l2() == l2) return *f;
    }
    if (made.size() == 8) fail("request", nullptr, "no more sizes of cache are flushed by one process");
    made.push_back(std::make_unique<Flusher>(l2));
    return *made.back();
}

// Stopwatch is two events of a stream, with the device kept busy before the first
// while the host queues what comes between them: no sample holds the host's time
// for a launch.
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

    // expect says how long the host will take to queue a step. A step that waits for
    // the device seems to take as long as the device is kept busy: hence the bound.
    void expect(int64_t queueing, int64_t most) {
        queueing_ = queueing;
        most_wait_ = most;
    }

    // sample is the time of a step on the device. What comes before it is not in it.
    long long sample(const Step& before, const Step& timed) {
        queue_wait(std::clamp(2 * queueing_, least_wait, most_wait_), stream_);
        int64_t queued = nanoseconds();
        before();
        need("cuEventRecord", driver().cuEventRecord(from_, stream_));
        timed();
        need("cuEventRecord", driver().cuEventRecord(to_, stream_));
        queueing_ = nanoseconds() - queued;
        return elapsed();
    }

  private:
    long long elapsed() {
        check_device();
        float milliseconds = 0;
        need("cuEventElapsedTime", driver().cuEventElapsedTime(&milliseconds, from_, to_));
        return static_cast<long long>(double(milliseconds) * 1e6 + 0.5);
    }

    Handle stream_, from_ = nullptr, to_ = nullptr;
    int64_t queueing_ = 0, most_wait_ = short_wait;
};

// median is that of so many samples.
template <class Sample>
long long median(int samples, Sample sample) {
    std::vector<long long> times;
    for (int i = 0; i < samples; i++) times.push_back(sample());
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void write_samples(const std::vector<long long>& samples, Text* reply) {
    for (size_t i = 0; i < samples.size(); i++) {
        if (i % samples_per_line == 0) reply->line("samples");
        reply->field(samples[i]);
    }
}

// Overheads are what a stopwatch shows for nothing at all, and for a launch of a
// kernel that does nothing, in nanoseconds.
struct Overheads {
    long long empty, null;
};

// Session is a plan under way.
class Session {
  public:
    Session(Entry entry, const Plan& plan, Handle stream)
        : entry_(entry), plan_(plan), stream_(stream), watch_(stream) {}

    // run writes what the judge is told.
    void run(Text* reply) {
        warm_up();
        int64_t started = nanoseconds();
        std::vector<long long> samples;
        std::string refused;
        // They are the device's and stay the same: once they are known, the time is better
        // spent on samples.
        static const Overheads known = overheads();
        Overheads over = known;
        if (plan_.method == Method::graph)
            refused = replay(&samples, &over.null);
        else
            take(&samples);
        fail_unhandled();
        reply->line("wall_ns").field(nanoseconds() - started);
        reply->line("empty_ns").field(over.empty);
        reply->line("null_ns").field(over.null);
        if (!refused.empty())
            reply->line("refused").field(("solve cannot be captured in a graph: " + refused).c_str());
        write_samples(samples, reply);
    }

  private:
    size_t set_of(long sample) const { return size_t(plan_.first + sample) % buffer_sets().size(); }
    size_t spare_set() const { return set_of(long(buffer_sets().size()) - 1); }
    void call(size_t set) { entry_(buffer_sets()[set].data(), plan_.dims.data(), stream_); }

    // warm_up never uses the set of a sample, where there are more sets than samples.
    // A graph needs a call before it: what solve does only once cannot be captured.
    void warm_up() {
        int64_t queueing = 0;
        for (long i = plan_.warmup + (plan_.method == Method::graph); i > 0; i--) {
            int64_t queued = nanoseconds();
            call(spare_set());
            queueing = nanoseconds() - queued;
        }
        check_device();
        fail_unhandled();
        watch_.expect(queueing, short_wait);
    }

    // before is what comes before the first event of a sample of a step.
    Step before(const Step& step) {
        if (plan_.method == Method::cold) return [] {};
        return step;
    }
    long long sample(const Step& step) {
        if (plan_.method == Method::cold) flusher_of(plan_.l2).flush(stream_);
        return watch_.sample(before(step), step);
    }
    Overheads overheads() {
        return {median(pairs, [this] { return watch_.sample([] {}, [] {}); }),
                null_of([this] { need("cuLaunchKernel", queue_nothing(stream_)); })};
    }
    // null_of is what the stopwatch shows for a step that does nothing: right after
    // another one it does so most steadily.
    long long null_of(const Step& nothing) {
        return median(pairs, [&] { return watch_.sample(nothing, nothing); });
    }

    void take(std::vector<long long>* samples) {
        long calls = plan_.method == Method::sustained ? calls_of_run() : 1;
        for (long i = 0; i < plan_.samples; i++) {
            size_t set = set_of(i);
            auto once = [this, set] { call(set); };
            samples->push_back(calls == 1 ? sample(once) : run_of(set, calls));
        }
    }

    // calls_of_run is how many calls make a sustained sample.
    long calls_of_run() {
        auto one = [this] { return watch_.sample([] {}, [this] { call(spare_set()); }); };
        long calls = std::clamp(long(run_time / std::max(1ll, median(3, one))), 1l, most_calls);
        if (calls > 1) watch_.expect(0, long_wait);
        return calls;
    }
    long long run_of(size_t set, long calls) {
        auto run = [&] {
            for (long i = 0; i < calls; i++) call(set);
        };
        return (watch_.sample([&] { call(set); }, run) + calls / 2) / calls;
    }

    // replay takes samples of graphs, or returns why there is none.
    std::string replay(std::vector<long long>* samples, long long* null) {
        Graph nothing;
        std::string refused = nothing.capture(stream_, [this] { queue_nothing(stream_); });
        std::vector<std::unique_ptr<Graph>> graphs;
        long count = std::min(plan_.samples, long(buffer_sets().size()));
        for (long i = 0; i < count && refused.empty(); i++) {
            graphs.push_back(std::make_unique<Graph>());
            refused = graphs.back()->capture(stream_, [&] { call(set_of(i)); });
        }
        for (long i = 0; i < count && refused.empty(); i++) refused = first_replay(*graphs[size_t(i)]);
        if (!refused.empty()) return refused;
        auto replaying = [this](const Graph& graph) {
            return [this, &graph] { need("cuGraphLaunch", graph.replay(stream_)); };
        };
        *null = null_of(replaying(nothing));
        for (long i = 0; i < plan_.samples; i++)
            samples->push_back(sample(replaying(*graphs[size_t(i % count)])));
        return "";
    }

    // first_replay moves a graph to the device.
    std::string first_replay(const Graph& graph) {
        int code = graph.replay(stream_);
        check_device();
        return code == 0 ? "" : std::string("its replay: ") + text_of(code);
    }

    Entry entry_;
    const Plan& plan_;
    Handle stream_;
    Stopwatch watch_;
};

Method method_of(const char* name) {
    constexpr const char* names[] = {"cold", "warm", "sustained", "graph"};
    for (size_t i = 0; i < std::size(names); i++) {
        if (strcmp(name, names[i]) == 0) return Method(i);
    }
    fail("request", nullptr, "there is no method of timing called %s", name);
}

}  // namespace

Plan read_plan(Fields fields) {
    Plan plan;
    while (const char* name = fields.next_line()) {
        const char* value = fields.next_field();
        if (strcmp(name, "samples") == 0) plan.samples = atol(value);
        if (strcmp(name, "warmup") == 0) plan.warmup = atol(value);
        if (strcmp(name, "first") == 0) plan.first = atol(value);
        if (strcmp(name, "method") == 0) plan.method = method_of(value);
        if (strcmp(name, "l2") == 0) plan.l2 = strtoull(value, nullptr, 10);
        if (strcmp(name, "dim") == 0) plan.dims.push_back(strtoll(value, nullptr, 10));
    }
    long sets = long(buffer_sets().size());
    if (sets == 0) fail("request", nullptr, "no buffers have been mapped");
    if (plan.samples < 1 || plan.samples > most_samples || plan.warmup < 0 || plan.l2 > most_l2)
        fail("request", nullptr, "%ld samples after %ld calls, with %zu bytes of cache: out of range",
             plan.samples, plan.warmup, plan.l2);
    if (plan.first < 0 || plan.first >= sets)
        fail("request", nullptr, "there is no set %ld of buffers: %ld were mapped", plan.first, sets);
    return plan;
}

void time_entry(Entry entry, const Plan& plan, Handle stream, Text* reply) {
    Session(entry, plan, stream).run(reply);
}

}  // namespace hone
