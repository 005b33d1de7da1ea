"""What docs/measure_gpu.py and docs/measure_torch.py are made of."""
