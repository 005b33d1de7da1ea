// What the process takes from itself before it loads a candidate.
#ifndef HONE_CONTAIN_H
#define HONE_CONTAIN_H

#include <initializer_list>
#include <stddef.h>
#include <string>
#include <vector>

#include "message.h"

namespace hone {

struct Limits {
    size_t memory = 0;  // bytes of private memory; 0 leaves it as it is
    size_t file = 0;
    size_t processes = 0;
};

// Needs are the paths that a program must reach beyond those that every one may.
struct Needs {
    std::vector<std::string> read;     // files and folders
    std::vector<std::string> write;    // files, and folders of files, that are written in place
    std::vector<std::string> devices;  // nodes that are read, written and controlled
    bool programs = false;             // it may start programs, until forbid_programs
};

// contain applies every layer that this system has, and adds a line to hello
// for each: on, or off and why. A missing layer stops nothing. Threads that exist
// by now stay outside of Landlock where the system cannot reach them.
void contain(const Limits& limits, const Needs& needs, Text* hello);

// allow_reading_only_beside takes away reading of everything but system
// libraries, the working directory, the needs and the folders of the given files.
void allow_reading_only_beside(std::initializer_list<const char*> files, const Needs& needs);

// forbid_programs takes away the starting of programs from a process whose needs
// allowed it; false where the system cannot.
bool forbid_programs();

// name_of_call names a system call that contain forbids.
const char* name_of_call(int number);

}  // namespace hone

#endif
