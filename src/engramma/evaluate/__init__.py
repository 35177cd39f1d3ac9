"""Benchmarks over the public API: `engramma eval` calls `runner.run` and `report`."""
