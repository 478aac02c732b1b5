"""The benchmarks: what they print are ratios of figures taken in one run, since machines differ and drift."""
