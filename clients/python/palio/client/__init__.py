"""The Python SDK: a bot in a few lines."""
