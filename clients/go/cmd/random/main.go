// Random picks any option: a bot that knows nothing about the game.
package main

import (
	"context"
	"math/rand/v2"

	"palio"
)

func main() {
	palio.Main(palio.Config{Name: "go-random"}, func(*palio.Match) (palio.Player, error) {
		return palio.ChooseFunc(func(_ context.Context, decision *palio.Decision) (int, error) {
			return rand.IntN(len(decision.Options)), nil
		}), nil
	})
}
