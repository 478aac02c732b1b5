"""The rules engine: what a game is, chance, replays, errors. Standard library only."""
