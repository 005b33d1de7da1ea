// Package agenttest has stand-ins for what a session talks to (a scripted
// [Model] and [Evaluator], a [Recorder] in memory, a [Clock]) and the complete
// event list of one believable session, by emulation ([Story]) and on a GPU
// ([GPUStory]). Only tests import it.
package agenttest
