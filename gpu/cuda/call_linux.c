// clang-format off
//go:build cgo && (amd64 || arm64)
// clang-format on

#define _GNU_SOURCE /* dladdr */
#include "call_linux.h"

#include <dlfcn.h>
#include <stdio.h>

#define WORDS0(A)
#define WORDS1(A) (A) words[0]
#define WORDS2(A, B) WORDS1(A), (B)words[1]
#define WORDS3(A, B, C) WORDS2(A, B), (C)words[2]
#define WORDS4(A, B, C, D) WORDS3(A, B, C), (D)words[3]
#define WORDS5(A, B, C, D, E) WORDS4(A, B, C, D), (E)words[4]
#define WORDS6(A, B, C, D, E, F) WORDS5(A, B, C, D, E), (F)words[5]
#define WORDS11(A, B, C, D, E, F, G, H, I, J, K) \
    WORDS6(A, B, C, D, E, F), (G)words[6], (H)words[7], (I)words[8], (J)words[9], (K)words[10]

/* One trampoline for each function. */
#define FUNCTION(name, count, ...)                                          \
    static int call_##name(void* function, const uint64_t* words) {         \
        (void)words;                                                        \
        return ((int (*)(__VA_ARGS__))function)(WORDS##count(__VA_ARGS__)); \
    }
#define OPTIONAL FUNCTION
#define TEXT(name, type)                                                             \
    static int call_##name(void* function, const uint64_t* words) {                  \
        *(const char**)words[1] = ((const char* (*)(type))function)((type)words[0]); \
        return 0;                                                                    \
    }
#include "functions.h"
#undef FUNCTION
#undef OPTIONAL
#undef TEXT

#define FUNCTION(name, count, ...) {#name, call_##name, count, 0},
#define OPTIONAL(name, count, ...) {#name, call_##name, count, 1},
#define TEXT(name, type) {#name, call_##name, 2, 0},
static const struct prototype prototypes[] = {
#include "functions.h"
};

const struct prototype* hone_listed(int* count) {
    *count = sizeof prototypes / sizeof prototypes[0];
    return prototypes;
}

void* hone_open(const char* path, char* reason, size_t size) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(reason, size, "%s", dlerror());
    return library;
}

void* hone_find(void* library, const char* name) {
    return dlsym(library, name);
}

const char* hone_origin(void* function) {
    Dl_info info;
    return dladdr(function, &info) ? info.dli_fname : NULL;
}

int hone_call(trampoline through, void* function, const uint64_t* words) {
    return through(function, words);
}
