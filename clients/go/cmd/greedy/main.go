// Greedy plays Fidelitas as docs/greedy.md says: it takes what brings its Missio cards nearest, now.
package main

import (
	"context"

	"palio"
	"palio/fidelitas"
)

func main() {
	config := palio.Config{Name: "go-greedy", Games: []string{"fidelitas"}}
	palio.Main(config, func(match *palio.Match) (palio.Player, error) {
		catalogue, err := match.Catalogue(context.Background())
		if err != nil {
			return nil, err
		}
		cards := fidelitas.CardsOf(catalogue.GetFidelitas(), match.GetOptions().GetFidelitas())
		return palio.ChooseFunc(func(_ context.Context, decision *palio.Decision) (int, error) {
			return cards.Greedy(decision.Fidelitas()), nil
		}), nil
	})
}
