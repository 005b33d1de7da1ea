// The device's own clock around calls of the candidate. What it says is a claim:
// the candidate shares this process.
#ifndef HONE_TIMING_H
#define HONE_TIMING_H

#include <stdint.h>
#include <vector>

#include "message.h"
#include "module.h"

namespace hone {

// Plan is what the judge wants timed.
struct Plan {
    long samples = 1;
    long warmup = 0;   // calls before the first sample
    bool cold = true;  // the cache is flushed before each sample
    size_t l2 = 0;     // bytes of that cache
    std::vector<int64_t> dims;
};
Plan read_plan(Fields fields);

// time_entry runs the plan on the sets of buffers in turn, and writes the samples.
void time_entry(Entry entry, const Plan& plan, Handle stream, Text* reply);

}  // namespace hone

#endif
