// Atomic operations, for the types CUDA has them for. All are relaxed, as on a
// GPU: they order nothing but themselves.
#ifndef HONE_ATOMIC_H
#define HONE_ATOMIC_H

namespace hone {

// The bits of a number that an atomic compares and exchanges.
template <int bytes>
struct Cell;
template <>
struct Cell<2> {
    typedef uint16_t __attribute__((may_alias)) type;
};
template <>
struct Cell<4> {
    typedef uint32_t __attribute__((may_alias)) type;
};
template <>
struct Cell<8> {
    typedef uint64_t __attribute__((may_alias)) type;
};

// update replaces *address by next(*address) and returns what was there.
template <class T, class Next>
HONE_INLINE T update(T* address, Next next) {
    auto* cell = reinterpret_cast<typename Cell<sizeof(T)>::type*>(address);
    auto old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    auto desired = old;
    do {
        T value = next(from_bits<T>(old));
        __builtin_memcpy(&desired, &value, sizeof(T));
    } while (!__atomic_compare_exchange_n(cell, &old, desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return from_bits<T>(old);
}

template <class T>
HONE_INLINE T exchange(T* address, T value) {
    return update(address, [=](T) { return value; });
}

// A thread that loses may be waiting for one that has not run yet.
template <class T>
HONE_INLINE T compare_and_swap(T* address, T expected, T value) {
    T old = expected;
    if (!__atomic_compare_exchange_n(address, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        hone_yield();
    return old;
}

}  // namespace hone

// Each operation in its three scopes, which are one here.
#define HONE_ATOMIC(name, type, expression)                     \
    HONE_INLINE type name(type* address, type value) {          \
        return expression;                                      \
    }                                                           \
    HONE_INLINE type name##_block(type* address, type value) {  \
        return expression;                                      \
    }                                                           \
    HONE_INLINE type name##_system(type* address, type value) { \
        return expression;                                      \
    }

#define HONE_FETCH(operation) __atomic_fetch_##operation(address, value, __ATOMIC_RELAXED)
HONE_ATOMIC(atomicAdd, int, HONE_FETCH(add))
HONE_ATOMIC(atomicAdd, unsigned, HONE_FETCH(add))
HONE_ATOMIC(atomicAdd, unsigned long long, HONE_FETCH(add))
HONE_ATOMIC(atomicSub, int, HONE_FETCH(sub))
HONE_ATOMIC(atomicSub, unsigned, HONE_FETCH(sub))
HONE_ATOMIC(atomicAnd, int, HONE_FETCH(and))
HONE_ATOMIC(atomicAnd, unsigned, HONE_FETCH(and))
HONE_ATOMIC(atomicAnd, unsigned long long, HONE_FETCH(and))
HONE_ATOMIC(atomicOr, int, HONE_FETCH(or))
HONE_ATOMIC(atomicOr, unsigned, HONE_FETCH(or))
HONE_ATOMIC(atomicOr, unsigned long long, HONE_FETCH(or))
HONE_ATOMIC(atomicXor, int, HONE_FETCH(xor))
HONE_ATOMIC(atomicXor, unsigned, HONE_FETCH(xor))
HONE_ATOMIC(atomicXor, unsigned long long, HONE_FETCH(xor))
#undef HONE_FETCH

#define HONE_SUM(type) hone::update(address, [=](type old) { return old + value; })
HONE_ATOMIC(atomicAdd, float, HONE_SUM(float))
HONE_ATOMIC(atomicAdd, double, HONE_SUM(double))
HONE_ATOMIC(atomicAdd, __half, HONE_SUM(__half))
HONE_ATOMIC(atomicAdd, __half2, HONE_SUM(__half2))
HONE_ATOMIC(atomicAdd, __nv_bfloat16, HONE_SUM(__nv_bfloat16))
HONE_ATOMIC(atomicAdd, __nv_bfloat162, HONE_SUM(__nv_bfloat162))
#undef HONE_SUM

#define HONE_EXCHANGE(type) HONE_ATOMIC(atomicExch, type, hone::exchange(address, value))
HONE_EXCHANGE(int)
HONE_EXCHANGE(unsigned)
HONE_EXCHANGE(unsigned long long)
HONE_EXCHANGE(float)
#undef HONE_EXCHANGE

#define HONE_EXTREME(type)                                                                                   \
    HONE_ATOMIC(atomicMin, type, hone::update(address, [=](type old) { return value < old ? value : old; })) \
    HONE_ATOMIC(atomicMax, type, hone::update(address, [=](type old) { return old < value ? value : old; }))
HONE_EXTREME(int)
HONE_EXTREME(unsigned)
HONE_EXTREME(long long)
HONE_EXTREME(unsigned long long)
#undef HONE_EXTREME

HONE_ATOMIC(atomicInc, unsigned,
            hone::update(address, [=](unsigned old) { return old >= value ? 0 : old + 1; }))
HONE_ATOMIC(atomicDec, unsigned,
            hone::update(address, [=](unsigned old) { return old == 0 || old > value ? value : old - 1; }))
#undef HONE_ATOMIC

#define HONE_CAS(name, type)                                          \
    HONE_INLINE type name(type* address, type expected, type value) { \
        return hone::compare_and_swap(address, expected, value);      \
    }
#define HONE_CAS_SCOPES(type)       \
    HONE_CAS(atomicCAS, type)       \
    HONE_CAS(atomicCAS_block, type) \
    HONE_CAS(atomicCAS_system, type)
HONE_CAS_SCOPES(int)
HONE_CAS_SCOPES(unsigned)
HONE_CAS_SCOPES(unsigned long long)
HONE_CAS_SCOPES(unsigned short)
#undef HONE_CAS_SCOPES
#undef HONE_CAS

#endif
