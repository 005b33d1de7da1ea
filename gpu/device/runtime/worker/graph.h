// One call of the candidate as a CUDA graph, to be replayed without its host code.
#ifndef HONE_GRAPH_H
#define HONE_GRAPH_H

#include <functional>
#include <string>

#include "driver.h"

namespace hone {

class Graph {
  public:
    Graph() = default;
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    // capture has a call queue its work on the stream and keeps that. It returns why
    // this cannot be, or nothing; whatever the call did, the process stays usable.
    std::string capture(Handle stream, const std::function<void()>& call);

    // replay queues what was captured, and returns an error's number.
    int replay(Handle stream) const;

  private:
    std::string keep(int code, long launches);
    Handle graph_ = nullptr, executable_ = nullptr;
};

// capturing tells whether a capture is under way, in which the device cannot be
// waited for.
bool capturing();

// leave_capture returns to the capture under way, from within its call, with the
// reason why the call cannot go on. Outside of a capture it does nothing. What the
// call had on its stack is lost.
void leave_capture(const char* reason);

}  // namespace hone

#endif
