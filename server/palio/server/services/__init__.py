"""The gRPC servicers: thin, each over the arena. Who may call is the interceptor's matter."""
