// The device worker: a process that takes a GPU, contains itself, loads one module
// that package compile built, and runs it for the judge on the other end of
// descriptor 3. It never sees what the outputs should be.
#include <errno.h>
#include <exception>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api.h"
#include "buffers.h"
#include "clock.h"
#include "contain.h"
#include "driver.h"
#include "errors.h"
#include "fault.h"
#include "helpers.h"
#include "graph.h"
#include "kernels.h"
#include "message.h"
#include "module.h"
#include "needs.h"
#include "signals.h"
#include "timing.h"

namespace hone {
namespace {

constexpr long flag_kernels = 1, flag_place = 2;

// Arguments are those of the command line.
struct Arguments {
    int device = 0;
    const char* driver = nullptr;
    Limits limits;
};

Incoming message;
Entry entry = nullptr;
Handle stream = nullptr;
bool in_call = false;

void on_exit() {
    if (capturing()) {
        atexit(on_exit);  // this one is used up
        leave_capture("solve called exit");
    }
    if (in_call) fail("exit", nullptr, "solve called exit");
}

// guarded runs what calls the candidate's code.
template <class F>
void guarded(F run) {
    in_call = true;
    try {
        run();
    } catch (const std::bad_alloc&) {
        fail("out_of_memory", nullptr, "solve ran out of host memory");
    } catch (const std::exception& e) {
        fail("abort", nullptr, "solve threw an exception: %s", e.what());
    } catch (...) {
        fail("abort", nullptr, "solve threw an exception");
    }
    in_call = false;
    fflush(stdout);
}

// Call is what the judge wants run.
struct Call {
    long flags = 0, repeat = 1, set = 0;
    int poison = -1;
    std::vector<int64_t> dims;
};

Call read_call(Fields fields) {
    Call call;
    while (const char* name = fields.next_line()) {
        const char* value = fields.next_field();
        if (strcmp(name, "flags") == 0) call.flags = atol(value);
        if (strcmp(name, "repeat") == 0) call.repeat = atol(value);
        if (strcmp(name, "set") == 0) call.set = atol(value);
        if (strcmp(name, "poison") == 0) call.poison = int(strtoul(value, nullptr, 16) & 0xff);
        if (strcmp(name, "dim") == 0) call.dims.push_back(strtoll(value, nullptr, 10));
    }
    long sets = long(buffer_sets().size());
    if (call.set < 0 || call.set >= sets)
        fail("request", nullptr, "there is no set %ld of buffers: %ld were mapped", call.set, sets);
    return call;
}

void call(Fields fields) {
    Call call = read_call(fields);
    void* const* buffers = buffer_sets()[size_t(call.set)].data();
    begin_launches();
    place_faults((call.flags & flag_place) != 0);
    poison_allocations(call.poison);
    fill_set(size_t(call.set));
    int64_t start = nanoseconds();
    guarded([&] {
        for (long i = 0; i < call.repeat; i++) {
            entry(buffers, call.dims.data(), stream);
            stop_counting();
        }
        check_device();
    });
    int64_t end = nanoseconds();
    poison_allocations(-1);
    place_faults(false);
    fail_unhandled();
    return_set(size_t(call.set));
    static Text reply;
    reply = Text();
    reply.line("wall_ns").field(end - start);
    if ((call.flags & flag_kernels) != 0) write_kernels(&reply);
    send(Reply::ok, reply);
}

void time(Fields fields) {
    static Text reply;
    reply = Text();
    Plan plan = read_plan(fields);
    begin_launches();
    stop_counting();
    for (size_t set = 0; set < buffer_sets().size(); set++) fill_set(set);
    guarded([&] { time_entry(entry, plan, stream, &reply); });
    for (size_t set = 0; set < buffer_sets().size(); set++) return_set(set);
    send(Reply::ok, reply);
}

void answer() {
    Fields fields(&message);
    bool runs = message.type == Request::call || message.type == Request::time;
    if (runs && entry == nullptr) fail("request", nullptr, "no module has been loaded");
    switch (message.type) {
        case Request::load:
            if (entry != nullptr) fail("request", nullptr, "a process loads one module");
            guarded([&] { entry = load_module(fields); });
            send(Reply::ok, Text());
            break;
        case Request::map:
            map_buffers(fields, message);
            send(Reply::ok, Text());
            break;
        case Request::call:
            call(fields);
            break;
        case Request::time:
            time(fields);
            break;
        default:
            _exit(0);
    }
}

// read_arguments returns the first argument that is none, or null.
const char* read_arguments(int count, char** words, Arguments* arguments) {
    for (int i = 1; i < count; i++) {
        char name[32];
        int end = 0;
        if (sscanf(words[i], "%31[a-z]=%n", name, &end) != 1 || end == 0) return words[i];
        const char* value = words[i] + end;
        char* rest = nullptr;
        unsigned long long number = strtoull(value, &rest, 10);
        if (strcmp(name, "driver") == 0) {
            arguments->driver = value;
            continue;
        }
        if (*value == 0 || *rest != 0) return words[i];
        if (strcmp(name, "device") == 0)
            arguments->device = int(number);
        else if (strcmp(name, "memory") == 0)
            arguments->limits.memory = number;
        else if (strcmp(name, "file") == 0)
            arguments->limits.file = number;
        else
            return words[i];
    }
    return nullptr;
}

void make_stream() {
    // One that the legacy default stream waits for, and the other way round: a
    // candidate that launches there is still between the events of a sample.
    int code = driver().cuStreamCreate(&stream, 0);
    if (code != 0) fail("no_device", nullptr, "cuStreamCreate: %s (%s)", text_of(code), name_of(code));
}

int serve(int count, char** words) {
    struct stat status;
    if (fstat(3, &status) != 0 || !S_ISSOCK(status.st_mode)) {
        fprintf(stderr, "worker: descriptor 3 is no socket: it is started by hone's judge\n");
        return 2;
    }
    Arguments arguments;
    if (const char* bad = read_arguments(count, words, &arguments))
        fail("request", nullptr, "unknown argument %s", bad);
    setvbuf(stdout, nullptr, _IOLBF, 0);
    open_driver(arguments.driver, arguments.device);
    make_stream();
    load_helpers();
    handle_signals();
    atexit(on_exit);
    static Text hello;
    hello.line("protocol").field(1);
    if (arguments.limits.memory > 0) arguments.limits.memory += private_memory();
    contain(arguments.limits, needs_of_driver(), &hello);
    send(Reply::hello, hello);
    while (receive(&message)) answer();
    _exit(0);
}

}  // namespace
}  // namespace hone

int main(int count, char** words) {
    return hone::serve(count, words);
}
