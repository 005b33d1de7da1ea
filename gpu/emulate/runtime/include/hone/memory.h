// Shared memory, and loads and stores with a cache hint.
#ifndef HONE_MEMORY_H
#define HONE_MEMORY_H

// The checked build routes the C functions that copy and fill through the emulator, which checks them.
#ifdef HONE_CHECKED
extern "C" void* memcpy(void*, const void*, size_t)
HONE_C_FUNCTION __asm__(HONE_SYMBOL("hone_memcpy"));
extern "C" void* memmove(void*, const void*, size_t)
HONE_C_FUNCTION __asm__(HONE_SYMBOL("hone_memmove"));
extern "C" void* memset(void*, int, size_t)
HONE_C_FUNCTION __asm__(HONE_SYMBOL("hone_memset"));
#endif

// hone_shared returns the block's variable known by key, name and line. Its
// content is undefined until the block writes it.
HONE_EMULATOR void* hone_shared(const void* key, const char* name, int line, size_t bytes, size_t align);
HONE_EMULATOR void* hone_dynamic_shared();

namespace hone {

// shared stands for a variable in static shared memory. Tag is a type local to
// the declaration, so that each instantiation of a template has its own variable.
template <class T, class Tag = void>
HONE_INLINE T& shared(const char* name, int line) {
    static char key;
    return *static_cast<T*>(hone_shared(&key, name, line, sizeof(T), alignof(T)));
}

template <class T>
HONE_INLINE T* dynamic_shared() {
    return static_cast<T*>(hone_dynamic_shared());
}

}  // namespace hone

#define HONE_LOAD(name)                    \
    template <class T>                     \
    HONE_INLINE T name(const T* address) { \
        return *address;                   \
    }
HONE_LOAD(__ldg)
HONE_LOAD(__ldca)
HONE_LOAD(__ldcg)
HONE_LOAD(__ldcs)
HONE_LOAD(__ldcv)
HONE_LOAD(__ldlu)
#undef HONE_LOAD

#define HONE_STORE(name)                         \
    template <class T>                           \
    HONE_INLINE void name(T* address, T value) { \
        *address = value;                        \
    }
HONE_STORE(__stwb)
HONE_STORE(__stcg)
HONE_STORE(__stcs)
HONE_STORE(__stwt)
#undef HONE_STORE

HONE_INLINE unsigned __isGlobal(const void*) {
    return 1;
}
HONE_INLINE size_t __cvta_generic_to_global(const void* address) {
    return reinterpret_cast<size_t>(address);
}

#endif
