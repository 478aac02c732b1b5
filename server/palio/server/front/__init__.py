"""A server of several processes: a front that listens, and workers that host matches (docs/decisions/0060-workers.md).

The *front* is the process that an operator starts. It starts the *workers*, each a whole server for some of the bots,
tells every bot which of them to connect to, and passes on what concerns a match to the worker that hosts it.
"""
