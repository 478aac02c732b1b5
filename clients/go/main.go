package palio

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main is the main function of a bot: it plays until it is told to stop and ends the program. Flags override config.
// The first SIGINT or SIGTERM makes the bot leave once its matches are over, the second one ends it at once. The status
// is 0 after leaving, 1 after an error, 2 for wrong flags.
func Main(config Config, bot Bot) {
	flag.StringVar(&config.Server, "server", config.Server, "address, host:port or unix:/path (default: PALIO_SERVER, else localhost:7654)")
	flag.IntVar(&config.Matches, "matches", config.Matches, "leave after so many matches (default: never)")
	if config.Concurrent == 0 {
		config.Concurrent = defaultConcurrent
	}
	flag.IntVar(&config.Concurrent, "concurrent", config.Concurrent, "play at most so many matches at the same time")
	flag.Parse()
	if flag.NArg() > 0 || config.Matches < 0 || config.Concurrent < 1 {
		fmt.Fprintln(os.Stderr, "palio: -matches must be 0 or more, -concurrent 1 or more; there are no other arguments")
		os.Exit(2)
	}

	ctx, cancel := context.WithCancel(context.Background())
	client := NewClient(bot, config)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		client.Leave()
		<-signals
		cancel()
	}()
	if err := client.Run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "palio: %v\n", err)
		os.Exit(1)
	}
}
