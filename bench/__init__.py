"""The benchmarks of the product, each beside a reference that runs on the same machine at the same time."""
