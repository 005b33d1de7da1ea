__global__ void k(int* y, int n) { y[0] = n; }

void run(int* y, int n) {
    if (n > 3) k<<<1, 1>>>(y, 1);
    else k<<<1, 1>>>(y, 2);
    for (int i = 0; i < n; i++) k<<<1, 1>>>(y, i);
    switch (n) {
        case 1: k<<<1, 1>>>(y, 3); break;
        default:k<<<1, 1>>>(y, 4);
    }
    do k<<<1, 1>>>(y, 5); while (n < 0);
    return k<<<1, 1>>>(y, 6);
}
