template <typename T, typename U>
struct Pair {
    T first;
    U second;
};
template <typename P>
__global__ void pairs(P* p) { p[threadIdx.x].first = threadIdx.x; }
template <typename T>
constexpr int lanes() { return 32 / sizeof(T); }
template <typename A, typename B>
struct Count {
    static constexpr int value = sizeof(A) + sizeof(B);
};

void run(void* p) {
    pairs<Pair<int, Pair<int, int>>><<<1, lanes<Pair<int, int>>()>>>((Pair<int, Pair<int, int>>*)p);
    pairs<Pair<int, float>><<<(Count<int, float>::value < 9 ? 1 : 2), Count<int, Pair<int, int>>::value>>>((Pair<int, float>*)p);
}
