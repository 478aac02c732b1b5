"""Playing the blocks of a tournament on the nodes of a Ray cluster."""
