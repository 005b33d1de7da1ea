// What the tests put behind tensor.cu to run one of its kernels on a CPU. The
// first word of dims says which; the others are its arguments as they come,
// doubles as their bits, without the addresses.

static double real(int64_t bits) {
    return __longlong_as_double(bits);
}

static u64* totals(void* buffer) {
    return static_cast<u64*>(buffer);
}

void run(void* const* b, const int64_t* dims) {
    const int64_t* d = dims + 1;
    dim3 grid(3), block(256);
    switch (dims[0]) {
        case 0:
            draw<<<grid, block>>>(b[0], int(d[0]), d[1], int(d[2]), real(d[3]), real(d[4]), real(d[5]),
                                  u64(d[6]), u64(d[7]));
            break;
        case 1:
            convert<<<grid, block>>>(b[1], int(d[0]), b[0], int(d[1]), d[2]);
            break;
        case 2:
            differing<<<grid, block>>>(b[0], b[1], d[0], totals(b[2]));
            break;
        case 3:
            damage<<<grid, block>>>(b[0], d[0], d[1], d[2], static_cast<unsigned char>(d[3]), totals(b[1]));
            break;
        case 4:
            compare<<<grid, block>>>(b[0], b[1], b[2], int(d[0]), int(d[1]), int(d[2]), d[3], real(d[4]),
                                     real(d[5]), real(d[6]), real(d[7]), totals(b[3]));
            break;
        case 5:
            compare_integers<<<grid, block>>>(b[0], b[1], b[2], int(d[0]), d[1], real(d[2]), totals(b[3]));
            break;
    }
}
