void solve(float* x, float* y, int n) {}
