"""The `palio` program."""
