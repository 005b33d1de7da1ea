package oracle

// References that several tests use.
const (
	linear = `
class Model(nn.Module):
    def __init__(self, wide, deep):
        super().__init__()
        self.linear = nn.Linear(wide, deep)
    def forward(self, x):
        return self.linear(x)
def get_inputs():
    return [torch.randn(5, 3)]
def get_init_inputs():
    return [3, 2]
`
	relu = `
class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)
def get_inputs():
    return [torch.randn(4, 6)]
def get_init_inputs():
    return []
`
	norm = `
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
    def forward(self, x):
        return self.norm(x) + self.norm.running_mean
def get_inputs():
    return [torch.randn(8, 3) + 1]
`
	dropout = `
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)
    def forward(self, x):
        return self.dropout(x)
def get_inputs():
    return [torch.ones(64)]
`
)
