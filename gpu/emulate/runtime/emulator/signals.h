// Signals that a kernel raises by a bad access or a forbidden call become faults.
#ifndef HONE_SIGNALS_H
#define HONE_SIGNALS_H

namespace hone {

void handle_signals();
// use_signal_stack gives the calling thread a stack for handlers: its own may be exhausted.
void use_signal_stack();

}  // namespace hone

#endif
