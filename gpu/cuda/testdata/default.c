// Every function of the NVIDIA libraries that hone calls, doing nothing with
// success. fake.c replaces some of them.
#include <stddef.h>
#include <stdint.h>

#define FUNCTION(name, count, ...)                \
    __attribute__((weak)) int name(__VA_ARGS__) { \
        return 0;                                 \
    }
#define OPTIONAL FUNCTION
#define TEXT(name, type)                           \
    __attribute__((weak)) const char* name(type) { \
        return "a text";                           \
    }
#include "../functions.h"
