package fidelitas

import (
	"slices"

	v1 "palio/gen/palio/fidelitas/v1"
)

// Cards are the Missio cards of a match by id, and what the catalogue says about the characters.
type Cards struct {
	Guilds     Guilds
	Characters map[v1.Character]*v1.CharacterInfo
	Missio     map[uint32]*v1.MissioCard
}

// CardsOf takes the Missio cards from the match's options where it has a deck of its own, else from the catalogue.
func CardsOf(catalogue *v1.Catalogue, options *v1.GameOptions) *Cards {
	cards := &Cards{GuildsOf(catalogue), map[v1.Character]*v1.CharacterInfo{}, map[uint32]*v1.MissioCard{}}
	for _, info := range catalogue.GetCharacters() {
		cards.Characters[info.GetCharacter()] = info
	}
	missio := options.GetDeck().GetMissio()
	if len(missio) == 0 {
		missio = catalogue.GetMissio()
	}
	for i, card := range missio {
		cards.Missio[uint32(i+1)] = card
	}
	return cards
}

// weights by distance; what is farther away counts nothing.
var weights = [...]int{1000, 300, 100, 30, 10, 3, 1}

const (
	scholar = 40 // what two cards more, or another one's loss, are worth in City value
	soldier = v1.Character_CHARACTER_SOLDIER
	thief   = v1.Character_CHARACTER_THIEF
	market  = v1.Location_LOCATION_MARKET
	harbor  = v1.Location_LOCATION_WAREHOUSE
)

// Greedy returns the index of the option that docs/greedy.md prescribes.
func (c *Cards) Greedy(observation *v1.Observation, options []*v1.Option) int {
	if kind := observation.GetAsking().GetKind(); v1.DecisionKind_name[int32(kind)] == "" || kind == 0 {
		return 0
	}
	t := &thought{Cards: c, seen: observation, locations: Locations(observation.GetPlayers() == 1)}
	for _, id := range observation.GetOwn().GetMissio() {
		if card := c.Missio[id]; card != nil {
			t.mine = append(t.mine, card)
		}
	}
	t.city = CityOf(observation)
	t.replay()
	best, largest := 0, 0
	for i, option := range options {
		if value := t.option(option); i == 0 || value > largest {
			best, largest = i, value
		}
	}
	return best
}

// thought is one decision being made.
type thought struct {
	*Cards
	seen      *v1.Observation
	locations []v1.Location
	mine      []*v1.MissioCard

	city   City // after what was picked before
	broker *v1.Option_Broker
	held   *v1.BoardCard // picked, not put down yet
	last   v1.Location   // where a card was put down last
}

// value of a City: the Missio cards at hand, weighted by how near they are.
func (t *thought) value(city City) int {
	city = cleared(city)
	sum := 0
	for _, card := range t.mine {
		sum += t.worth(card, city)
	}
	return sum
}

// worth of one Missio card in a City in which no location is about to be cleared.
func (t *thought) worth(card *v1.MissioCard, city City) int {
	if distance := t.Guilds.Distance(card, city, t.locations); distance < len(weights) {
		return int(card.GetPoints()) * weights[distance]
	}
	return 0
}

// cleared is the City without the locations that three Soldiers clear.
func cleared(city City) City {
	for i, stack := range city {
		if soldiers(stack) >= 3 {
			city[i] = nil
		}
	}
	return city
}

func soldiers(stack Stack) (n int) {
	for _, character := range stack {
		if character == soldier {
			n++
		}
	}
	return n
}

// above are the cards of a location that lie above its locked ones.
func (t *thought) above(city *City, location v1.Location) Stack {
	locked := 0
	if stacks := t.seen.GetStacks(); int(location) <= len(stacks) {
		locked = int(stacks[location-1].GetLocked())
	}
	stack := city.at(location)
	return stack[min(locked, len(stack)):]
}

// best collects the largest of the values tried; that of the City as it is where none is.
type best struct {
	tried bool
	value int
}

func (b *best) try(value int) {
	if !b.tried || value > b.value {
		b.tried, b.value = true, value
	}
}

func (t *thought) of(b best, city City) int {
	if b.tried {
		return b.value
	}
	return t.value(city)
}

// moves tries every move of an unlocked card from x to the locations y that are allowed.
func (t *thought) moves(b *best, city City, x v1.Location, allowed func(p v1.Character, y v1.Location) bool) {
	for _, p := range t.above(&city, x) {
		t.movesOf(b, city, x, p, func(y v1.Location) bool { return allowed(p, y) })
	}
}

func (t *thought) movesOf(b *best, city City, x v1.Location, p v1.Character, allowed func(y v1.Location) bool) {
	for _, y := range t.locations {
		if y != x && allowed(y) {
			b.try(t.value(city.move(x, p, y)))
		}
	}
}

// swaps tries every swap of (x, p) with an unlocked card elsewhere.
func (t *thought) swaps(b *best, city City, x v1.Location, p v1.Character) {
	for _, y := range t.locations {
		if y != x {
			for _, q := range t.above(&city, y) {
				b.try(t.value(city.swap(x, p, y, q)))
			}
		}
	}
}

func anywhere(v1.Character, v1.Location) bool { return true }

func commerce(location v1.Location) bool { return location == market || location == harbor }

func tavern(location v1.Location) bool { return location == tavernNorth || location == tavernSouth }

func sameSide(x, y v1.Location) bool { return (x <= market) == (y <= market) }

// bonus is what a character's action brings apart from the City.
func (t *thought) bonus(a v1.Character) int {
	switch a {
	case v1.Character_CHARACTER_PROFESSOR, v1.Character_CHARACTER_PRIEST:
		return scholar
	case thief:
		sum := 0
		for seat, public := range t.seen.GetSeats() {
			if uint32(seat) != t.seen.GetOwn().GetSeat() && public.GetHandSize() > 2 {
				sum += scholar
			}
		}
		return sum
	}
	return 0
}

// play is the value of playing a on location n.
func (t *thought) play(a v1.Character, n v1.Location) int {
	city := t.city.put(n, a)
	if tavern(n) || a == soldier && soldiers(city.at(n)) >= 3 {
		return t.value(city)
	}
	var b best
	switch a {
	case v1.Character_CHARACTER_SHOPKEEPER:
		for _, x := range t.locations {
			for _, p := range t.above(&city, x) {
				t.swaps(&b, city, x, p)
			}
		}
	case v1.Character_CHARACTER_BROKER:
		for _, x := range t.locations {
			t.moves(&b, city, x, func(_ v1.Character, y v1.Location) bool { return commerce(x) || commerce(y) })
		}
	case v1.Character_CHARACTER_BUTCHER, v1.Character_CHARACTER_BARRISTER:
		for _, x := range t.locations {
			for _, p := range t.above(&city, x) {
				b.try(t.value(city.lift(x, p)))
			}
		}
	case v1.Character_CHARACTER_BAKER:
		for _, x := range t.locations {
			t.moves(&b, city, x, anywhere)
		}
	case v1.Character_CHARACTER_CLERK:
		b.try(t.value(city) + scholar)
		for _, x := range t.locations {
			cards := t.above(&city, x)
			for i, p := range cards {
				for _, q := range cards[:i] {
					if t.Guilds[p] == t.Guilds[q] {
						b.try(t.value(city.lift(x, p).lift(x, q)))
					}
				}
			}
		}
	case soldier:
		several := soldiers(t.above(&city, n)) >= 2
		t.moves(&b, city, n, func(p v1.Character, _ v1.Location) bool { return p != soldier || several })
	case v1.Character_CHARACTER_MINSTREL:
		b.try(t.value(city))
		t.moves(&b, city, n, func(_ v1.Character, y v1.Location) bool { return sameSide(n, y) })
	case v1.Character_CHARACTER_DOCKMASTER:
		t.moves(&b, city, market, anywhere)
		t.moves(&b, city, harbor, anywhere)
	}
	return t.bonus(a) + t.of(b, city)
}

// hand is what a is worth in hand.
func (t *thought) hand(a v1.Character, city City) int {
	var b best
	info := t.Characters[a]
	for _, n := range info.GetLocations() {
		switch {
		case !slices.Contains(t.locations, n):
		case tavern(n):
			b.try(t.value(city.put(n, a)))
		case !info.GetNeedsCard() || len(city.at(n)) > 0:
			b.try(t.value(city.put(n, a)) + t.bonus(a))
		}
	}
	return t.of(b, city)
}

// replay carries out what was picked before in the action.
func (t *thought) replay() {
	removes := t.acting(v1.Character_CHARACTER_BUTCHER, v1.Character_CHARACTER_BARRISTER)
	for _, pick := range t.seen.GetAsking().GetPicks() {
		switch choice := pick.GetChoice().(type) {
		case *v1.Option_Broker_:
			t.broker = choice.Broker
		case *v1.Option_Card:
			switch card := choice.Card; {
			case removes:
				t.city = t.city.lift(card.GetLocation(), card.GetCharacter())
			case t.into():
				t.city = t.city.move(card.GetLocation(), card.GetCharacter(), t.broker.GetLocation())
			default:
				t.held = card
			}
		case *v1.Option_Destination_:
			t.last = choice.Destination.GetLocation()
			t.city = t.putDown(t.last)
			t.held = nil
		}
	}
}

// acting reports whether the action is that of one of the characters.
func (t *thought) acting(characters ...v1.Character) bool {
	return slices.Contains(characters, t.seen.GetAsking().GetCharacter())
}

// into reports whether a Broker moves cards into his location.
func (t *thought) into() bool {
	return t.broker.GetDirection() == v1.BrokerDirection_BROKER_DIRECTION_INTO
}

// putDown is the City after the held card went to the destination.
func (t *thought) putDown(destination v1.Location) City {
	if t.held == nil {
		return t.city
	}
	return t.city.move(t.held.GetLocation(), t.held.GetCharacter(), destination)
}

// option is the value of one option.
func (t *thought) option(option *v1.Option) int {
	switch choice := option.GetChoice().(type) {
	case *v1.Option_Play_:
		character, location := choice.Play.GetCharacter(), choice.Play.GetLocation()
		if t.seen.GetAsking().GetKind() == v1.DecisionKind_DECISION_KIND_PLACE_THIEF {
			return t.value(t.city.put(location, thief))
		}
		return t.play(character, location)
	case *v1.Option_Card:
		if t.seen.GetAsking().GetKind() == v1.DecisionKind_DECISION_KIND_DRAW_CARD {
			character := choice.Card.GetCharacter()
			return t.hand(character, t.city.lift(choice.Card.GetLocation(), character))
		}
		return t.pick(choice.Card.GetLocation(), choice.Card.GetCharacter())
	case *v1.Option_Destination_:
		return t.value(t.putDown(choice.Destination.GetLocation()))
	case *v1.Option_Broker_:
		return t.direction(choice.Broker)
	case *v1.Option_HandCard_:
		value := t.hand(choice.HandCard.GetCharacter(), t.city)
		if t.seen.GetAsking().GetKind() == v1.DecisionKind_DECISION_KIND_DISCARD_CARD {
			return -value
		}
		return value
	case *v1.Option_Pair_:
		pair := choice.Pair
		return t.value(t.city.lift(pair.GetLocation(), pair.GetCharacterA()).lift(pair.GetLocation(), pair.GetCharacterB()))
	case *v1.Option_DrawTwo_:
		return t.value(t.city) + scholar
	case *v1.Option_Priest_:
		few := len(t.seen.GetOwn().GetMissio()) < 2
		if few == (choice.Priest.GetChoice() == v1.PriestChoice_PRIEST_CHOICE_MISSIO) {
			return 1
		}
		return 0
	case *v1.Option_Missio_:
		card := t.Missio[choice.Missio.GetId()]
		if t.seen.GetAsking().GetKind() == v1.DecisionKind_DECISION_KIND_SCORE_MISSIO {
			return int(card.GetPoints())
		}
		return -t.worth(card, cleared(t.city))
	case *v1.Option_Pass_:
		if t.seen.GetAsking().GetKind() == v1.DecisionKind_DECISION_KIND_SCORE_MISSIO {
			return 0
		}
		return t.value(t.city)
	case *v1.Option_Deck_:
		sum := 0
		for a := v1.Character_CHARACTER_SHOPKEEPER; a <= swindler; a++ {
			sum += t.hand(a, t.city)
		}
		return sum / int(swindler)
	}
	return 0
}

// pick is the value of picking card p at x in the middle of an action.
func (t *thought) pick(x v1.Location, p v1.Character) int {
	var b best
	switch {
	case t.acting(v1.Character_CHARACTER_SHOPKEEPER) && t.held == nil:
		t.swaps(&b, t.city, x, p)
	case t.acting(v1.Character_CHARACTER_SHOPKEEPER):
		b.try(t.value(t.city.swap(x, p, t.held.GetLocation(), t.held.GetCharacter())))
	case t.acting(v1.Character_CHARACTER_BUTCHER, v1.Character_CHARACTER_BARRISTER):
		b.try(t.value(t.city.lift(x, p)))
	case t.into():
		b.try(t.value(t.city.move(x, p, t.broker.GetLocation())))
	case t.acting(v1.Character_CHARACTER_MINSTREL) && t.last != 0:
		b.try(t.value(t.city.move(x, p, t.last)))
	case t.acting(v1.Character_CHARACTER_MINSTREL):
		t.movesOf(&b, t.city, x, p, func(y v1.Location) bool { return sameSide(x, y) })
	default:
		t.movesOf(&b, t.city, x, p, func(v1.Location) bool { return true })
	}
	return t.of(b, t.city)
}

// direction is the value of a Broker's direction.
func (t *thought) direction(broker *v1.Option_Broker) int {
	var b best
	m := broker.GetLocation()
	if broker.GetDirection() == v1.BrokerDirection_BROKER_DIRECTION_OUT {
		t.moves(&b, t.city, m, anywhere)
	} else {
		for _, x := range t.locations {
			t.moves(&b, t.city, x, func(_ v1.Character, y v1.Location) bool { return y == m })
		}
	}
	return t.of(b, t.city)
}
