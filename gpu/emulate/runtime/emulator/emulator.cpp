// The emulator: a process that contains itself, loads one object that package
// compile built, and runs it for the judge on the other end of descriptor 3.
#include <dlfcn.h>
#include <exception>
#include <new>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "api.h"
#include "block.h"
#include "contain.h"
#include "fault.h"
#include "launch.h"
#include "module.h"
#include "memory.h"
#include "message.h"
#include "signals.h"

namespace hone {
namespace {

using Entry = void (*)(void* const* buffers, const int64_t* dims);

constexpr size_t default_memory = size_t(16) << 30;
constexpr long flag_kernels = 1, flag_checked = 2;

Incoming message;
Entry entry = nullptr;
std::vector<void*> buffers;
bool in_call = false;

void on_exit() {
    if (in_call) fail("exit", Source(), "solve called exit");
}

void load(Fields fields) {
    const char* path = "";
    while (const char* name = fields.next_line()) {
        if (strcmp(name, "path") == 0) path = fields.next_field();
    }
    allow_reading_only_beside({path}, Needs());
    void* object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) fail("load", Source(), "%s", dlerror());
    entry = reinterpret_cast<Entry>(dlsym(object, "hone_entry"));
    if (entry == nullptr) fail("load", Source(), "%s has no hone_entry", path);
    locate_module(path, reinterpret_cast<void*>(entry));
    send(Reply::ok, Text());
}

void map(Fields fields) {
    unmap_buffers();
    buffers.clear();
    int next = 0;
    while (const char* line = fields.next_line()) {
        if (strcmp(line, "buffer") != 0) continue;
        char name[64];
        snprintf(name, sizeof(name), "%s", fields.next_field());
        size_t bytes = strtoull(fields.next_field(), nullptr, 10);
        bool read_only = strcmp(fields.next_field(), "r") == 0;
        if (next == message.descriptor_count)
            fail("load", Source(), "no descriptor came for buffer %s", name);
        const char* reason = "";
        void* data = map_buffer(name, bytes, read_only, message.descriptors[next++], &reason);
        if (data == nullptr) fail("load", Source(), "buffer %s: %s", name, reason);
        buffers.push_back(data);
    }
    for (int i = 0; i < message.descriptor_count; i++) close(message.descriptors[i]);
    send(Reply::ok, Text());
}

// Call is what the judge wants run.
struct Call {
    long flags = 0;
    long repeat = 1;
    std::vector<int64_t> dims;
};

Call read_call(Fields fields) {
    Call call;
    Schedule schedule;
    while (const char* name = fields.next_line()) {
        const char* value = fields.next_field();
        if (strcmp(name, "flags") == 0) call.flags = atol(value);
        if (strcmp(name, "repeat") == 0) call.repeat = atol(value);
        if (strcmp(name, "dim") == 0) call.dims.push_back(strtoll(value, nullptr, 10));
        if (strcmp(name, "schedule") == 0) schedule.number = atol(value);
        if (strcmp(name, "seed") == 0) schedule.seed = strtoull(value, nullptr, 10);
        if (strcmp(name, "poison") == 0) schedule.poison = uint8_t(strtoul(value, nullptr, 16));
    }
    schedule.checked = (call.flags & flag_checked) != 0;
    set_schedule(schedule);
    return call;
}

int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void run(const Call& call) {
    try {
        for (long i = 0; i < call.repeat; i++) entry(buffers.data(), call.dims.data());
    } catch (const std::bad_alloc&) {
        fail("out_of_memory", Source(), "solve ran out of memory");
    } catch (const std::exception& e) {
        fail("abort", Source(), "solve threw an exception: %s", e.what());
    } catch (...) {
        fail("abort", Source(), "solve threw an exception");
    }
}

void call(Fields fields) {
    if (entry == nullptr) fail("load", Source(), "no object has been loaded");
    Call call = read_call(fields);
    clear_kernels();
    clear_findings();
    begin_call();
    running.checked = schedule().checked;
    in_call = true;
    int64_t start = nanoseconds();
    run(call);
    int64_t end = nanoseconds();
    in_call = false;
    fflush(stdout);
    fail_unhandled();
    static Text reply;
    reply = Text();
    reply.line("wall_ns").field(end - start);
    if ((call.flags & flag_kernels) != 0) write_kernels(&reply);
    write_findings(&reply);
    send(Reply::ok, reply);
}

void read_arguments(int count, char** arguments, Limits* limits) {
    for (int i = 1; i < count; i++) {
        char name[32];
        unsigned long long value;
        if (sscanf(arguments[i], "%31[a-z]=%llu", name, &value) != 2) continue;
        if (strcmp(name, "memory") == 0) limits->memory = value;
        if (strcmp(name, "file") == 0) limits->file = value;
        if (strcmp(name, "processes") == 0) limits->processes = value;
    }
}

int serve(int count, char** arguments) {
    struct stat status;
    if (fstat(3, &status) != 0 || !S_ISSOCK(status.st_mode)) {
        fprintf(stderr, "emulator: descriptor 3 is no socket: it is started by hone's judge\n");
        return 2;
    }
    Limits limits;
    read_arguments(count, arguments, &limits);
    setvbuf(stdout, nullptr, _IOLBF, 0);
    reserve_memory(limits.memory > 0 ? limits.memory : default_memory);
    handle_signals();
    atexit(on_exit);
    static Text hello;
    hello.line("protocol").field(1);
    contain(limits, Needs(), &hello);
    send(Reply::hello, hello);
    while (receive(&message)) {
        switch (message.type) {
            case Request::load:
                load(Fields(&message));
                break;
            case Request::map:
                map(Fields(&message));
                break;
            case Request::call:
                call(Fields(&message));
                break;
            default:
                _exit(0);
        }
    }
    _exit(0);
}

}  // namespace
}  // namespace hone

int main(int count, char** arguments) {
    return hone::serve(count, arguments);
}
