"""Who may do what, and how much of it: accounts and tokens, rights, limits, certificates."""
