#include "graph.h"

#include <exception>
#include <setjmp.h>
#include <vector>

#include "errors.h"
#include "kernels.h"

namespace hone {
namespace {

constexpr int this_thread_only = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: no allocation, no waiting
constexpr unsigned long long free_on_launch = 1;
constexpr int kernel_node = 0;

thread_local bool open = false;
thread_local sigjmp_buf way_out;
const char* reason_to_leave = nullptr;

// run_open makes the call, and returns how else than by returning it ended.
std::string run_open(const std::function<void()>& call) {
    std::string ended;
    open = true;
    if (sigsetjmp(way_out, 1) != 0) {
        ended = reason_to_leave;
    } else {
        try {
            call();
        } catch (const std::exception& e) {
            ended = std::string("solve threw an exception: ") + e.what();
        } catch (...) {
            ended = "solve threw an exception";
        }
    }
    open = false;
    return ended;
}

std::string words(const char* call, int code) {
    return std::string(call) + ": " + text_of(code) + " (" + name_of(code) + ")";
}

long kernels_in(Handle graph) {
    size_t count = 0;
    if (driver().cuGraphGetNodes(graph, nullptr, &count) != 0) return 0;
    std::vector<Handle> nodes(count);
    if (count == 0 || driver().cuGraphGetNodes(graph, nodes.data(), &count) != 0) return 0;
    long kernels = 0;
    for (Handle node : nodes) {
        int type = -1;
        kernels += driver().cuGraphNodeGetType(node, &type) == 0 && type == kernel_node;
    }
    return kernels;
}

}  // namespace

Graph::~Graph() {
    if (executable_ != nullptr) driver().cuGraphExecDestroy(executable_);
    if (graph_ != nullptr) driver().cuGraphDestroy(graph_);
}

std::string Graph::capture(Handle stream, const std::function<void()>& call) {
    int code = driver().cuStreamBeginCapture_v2(stream, this_thread_only);
    if (code != 0) return words("cuStreamBeginCapture", code);
    begin_launches();
    std::string ended = run_open(call);
    long launches = counted_launches();
    stop_counting();
    code = driver().cuStreamEndCapture(stream, &graph_);
    std::string met = take_failure();
    if (!met.empty()) return met;
    if (!ended.empty()) return ended;
    return keep(code, launches);
}

std::string Graph::keep(int code, long launches) {
    if (code != 0) return words("cuStreamEndCapture", code);
    long kernels = kernels_in(graph_);
    if (kernels == 0 || kernels < launches)
        return "solve queues work on a stream that does not follow its own";
    code = driver().cuGraphInstantiateWithFlags(&executable_, graph_, free_on_launch);
    return code == 0 ? "" : words("cuGraphInstantiate", code);
}

int Graph::replay(Handle stream) const {
    return driver().cuGraphLaunch(executable_, stream);
}

bool capturing() {
    return open;
}

void leave_capture(const char* reason) {
    if (!open) return;
    reason_to_leave = reason;
    siglongjmp(way_out, 1);
}

}  // namespace hone
