// CUDA C++ for a CPU: what a rewritten kernel.cu is compiled against.
//
// The language (qualifiers, thread coordinates, launches, shared memory), then
// the types and functions that CUDA programs may name. Everything that needs a
// scheduler or a process is declared here and defined by the emulator. It must
// parse in a few tens of milliseconds, so it includes C headers only. What the
// emulation cannot do (tensor cores, cp.async, textures, grid-wide barriers) is
// absent: a compile error, never a wrong answer.
#ifndef HONE_EMULATE_H
#define HONE_EMULATE_H

// An attribute on a function that cannot use it is no concern of the kernel's author.
#pragma GCC diagnostic ignored "-Wattributes"

// The C headers themselves: libstdc++'s wrappers would pull in all of <cmath>.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "hone/language.h"
#include "hone/vector.h"
#include "hone/thread.h"
#include "hone/memory.h"
#include "hone/math.h"
#include "hone/constants.h"
#include "hone/bits.h"
#include "hone/runtime.h"
#include "hone/launch.h"
#include "hone/narrow_pair.h"
#include "hone/warp.h"
#include "hone/atomic.h"

#endif
