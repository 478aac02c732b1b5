package fidelitas

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	v1 "palio/gen/palio/fidelitas/v1"
	paliov1 "palio/gen/palio/v1"
)

// read decodes one of the files that all SDKs are tested with.
func read(t *testing.T, name string, message proto.Message) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "tests", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(data, message); err != nil {
		t.Fatal(err)
	}
}

func TestGreedyChoosesAsInEveryOtherLanguage(t *testing.T) {
	var game paliov1.GetGameResponse
	read(t, "catalogue.binpb", &game)
	var vectors paliov1.PlayResponse
	read(t, "greedy.binpb", &vectors)

	var cards *Cards
	decisions := 0
	for _, update := range vectors.GetUpdates() {
		if started := update.GetMatchStarted(); started != nil {
			cards = CardsOf(game.GetCatalogue().GetFidelitas(), started.GetOptions().GetFidelitas())
			continue
		}
		decision := update.GetDecision()
		options := make([]*v1.Option, len(decision.GetOptions()))
		for i, option := range decision.GetOptions() {
			options[i] = option.GetFidelitas()
		}
		got := cards.Greedy(decision.GetObservation().GetFidelitas(), options)
		if int32(got) != decision.GetAnswered() {
			t.Errorf("%s, decision %d (%s, %v): chose %d, not %d", update.GetMatchId(), decision.GetDecisionId(),
				decision.GetKind(), decision.GetObservation().GetFidelitas().GetAsking().GetCharacter(), got, decision.GetAnswered())
		}
		decisions++
	}
	if decisions < 500 {
		t.Errorf("only %d decisions", decisions)
	}
}

func TestMissioConditions(t *testing.T) {
	var game paliov1.GetGameResponse
	read(t, "catalogue.binpb", &game)
	cards := CardsOf(game.GetCatalogue().GetFidelitas(), nil)
	city := City{ // Courthouse first
		{1, 3, 5, 7}, {}, {14}, {}, {9, 14}, {11}, {}, {1, 2}, {10, 10}, {9, 9, 9, 9, 9, 9, 9},
	}
	want := map[uint32]bool{1: true, 13: true, 20: true}
	for id, card := range cards.Missio {
		if got := cards.Guilds.Met(card, city, Locations(false)); got != want[id] {
			t.Errorf("card %d: %v", id, got)
		}
	}
	if cards.Guilds.Met(&v1.MissioCard{Points: 1}, city, Locations(false)) {
		t.Error("a condition of an unknown kind is met")
	}
}
