// The device's own clock around calls of the candidate. What it says is a claim:
// the candidate shares this process.
#ifndef HONE_TIMING_H
#define HONE_TIMING_H

#include <stdint.h>
#include <vector>

#include "message.h"
#include "module.h"

namespace hone {

enum class Method {
    cold,       // the cache is flushed before each sample
    warm,       // a call on the same set comes just before
    sustained,  // a sample is a run of calls, divided by their number
    graph,      // a sample is a replay of one call, just after another
};

// Plan is what the judge wants timed.
struct Plan {
    Method method = Method::cold;
    long samples = 1;
    long warmup = 0;  // calls before the first sample, on the set before its own
    long first = 0;   // set of the first sample; the next ones follow in turn
    size_t l2 = 0;    // bytes of cache to flush
    std::vector<int64_t> dims;
};
Plan read_plan(Fields fields);

// time_entry runs the plan on the sets of buffers, and writes the samples.
void time_entry(Entry entry, const Plan& plan, Handle stream, Text* reply);

}  // namespace hone

#endif
