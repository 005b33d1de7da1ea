// clang-format off
//go:build cgo && (amd64 || arm64)
// clang-format on

#include <stddef.h>
#include <stdint.h>

/* A trampoline calls one function with its arguments given as 64-bit words. */
typedef int (*trampoline)(void* function, const uint64_t* words);

struct prototype {
    const char* name;
    trampoline call;
    int parameters;
    int optional;
};

/* The functions of functions.h, in its order, and how many they are. */
const struct prototype* hone_listed(int* count);

/* Loads a library; on failure returns NULL and leaves the loader's words in reason. */
void* hone_open(const char* path, char* reason, size_t size);

/* The address of a function of a library, or NULL. */
void* hone_find(void* library, const char* name);

/* The path of the file that a function was loaded from, or NULL. */
const char* hone_origin(void* function);

/* Calls a function through its trampoline: cgo cannot call a function pointer. */
int hone_call(trampoline through, void* function, const uint64_t* words);
