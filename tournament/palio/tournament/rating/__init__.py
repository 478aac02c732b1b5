"""What results mean: standings, tables, ratings, intervals, sequential tests. No input or output."""
