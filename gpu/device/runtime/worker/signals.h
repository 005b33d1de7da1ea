// Signals that the candidate's host code raises become faults.
#ifndef HONE_SIGNALS_H
#define HONE_SIGNALS_H

namespace hone {

void handle_signals();

}  // namespace hone

#endif
