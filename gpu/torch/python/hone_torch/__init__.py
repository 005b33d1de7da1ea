"""The Python programs of hone: the oracle, which is trusted, and the candidate, which is not."""
