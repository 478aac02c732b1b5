// Package fidelitas judges Missio cards from the catalogue's data and plays Fidelitas greedily.
package fidelitas

import (
	"slices"

	v1 "palio/gen/palio/fidelitas/v1"
)

// Guilds tells the guild of each character.
type Guilds map[v1.Character]v1.Guild

// GuildsOf reads the guilds from a catalogue.
func GuildsOf(catalogue *v1.Catalogue) Guilds {
	guilds := Guilds{}
	for _, info := range catalogue.GetCharacters() {
		guilds[info.GetCharacter()] = info.GetGuild()
	}
	return guilds
}

// City holds the cards of the ten locations: those of location n at index n-1, bottom to top.
type City [10][]v1.Character

// CityOf copies the City from an observation.
func CityOf(observation *v1.Observation) City {
	var city City
	for i, stack := range observation.GetStacks()[:min(10, len(observation.GetStacks()))] {
		city[i] = slices.Clone(stack.GetCards())
	}
	return city
}

// Met reports whether the City meets a Missio card's condition; solo says that the Tavern does not exist. A condition
// of a kind that this library does not know is never met.
func (g Guilds) Met(card *v1.MissioCard, city *City, solo bool) bool {
	have, need := g.Progress(card, city, solo)
	return have >= need
}

// Progress tells how much of a Missio card's condition the City has, and how much it needs, in the condition's own
// unit (guilds, cards or locations). It is met where have >= need.
func (g Guilds) Progress(card *v1.MissioCard, city *City, solo bool) (have, need int) {
	switch c := card.GetCondition().(type) {
	case *v1.MissioCard_DistinctGuilds:
		seen := map[v1.Guild]bool{}
		for _, location := range c.DistinctGuilds.GetLocations() {
			for _, character := range city.at(location) {
				seen[g[character]] = true
			}
		}
		return len(seen), int(c.DistinctGuilds.GetCount())
	case *v1.MissioCard_CharacterCount:
		for _, stack := range city {
			have += count(stack, func(x v1.Character) bool { return x == c.CharacterCount.GetCharacter() })
		}
		return have, int(c.CharacterCount.GetCount())
	case *v1.MissioCard_EmptyLocations:
		return city.locations(func(location v1.Location, stack []v1.Character) bool {
			tavern := location == v1.Location_LOCATION_TAVERN_NORTH || location == v1.Location_LOCATION_TAVERN_SOUTH
			return len(stack) == 0 && !(solo && tavern)
		}), int(c.EmptyLocations.GetCount())
	case *v1.MissioCard_CharacterAtEach:
		for _, location := range c.CharacterAtEach.GetLocations() {
			if slices.Contains(city.at(location), c.CharacterAtEach.GetCharacter()) {
				have++
			}
		}
		return have, len(c.CharacterAtEach.GetLocations())
	case *v1.MissioCard_GuildAtEach:
		for _, location := range c.GuildAtEach.GetLocations() {
			if slices.ContainsFunc(city.at(location), func(x v1.Character) bool { return g[x] == c.GuildAtEach.GetGuild() }) {
				have++
			}
		}
		return have, len(c.GuildAtEach.GetLocations())
	case *v1.MissioCard_CharacterSpread:
		return city.locations(func(_ v1.Location, stack []v1.Character) bool {
			return slices.Contains(stack, c.CharacterSpread.GetCharacter())
		}), int(c.CharacterSpread.GetCount())
	case *v1.MissioCard_ActiveSwindlers:
		for _, stack := range city {
			if len(stack) > 1 {
				have += count(stack[1:], func(x v1.Character) bool { return x == v1.Character_CHARACTER_SWINDLER })
			}
		}
		return have, int(c.ActiveSwindlers.GetCount())
	case *v1.MissioCard_GuildPairs:
		return city.locations(func(_ v1.Location, stack []v1.Character) bool { return g.pair(stack) }), int(c.GuildPairs.GetCount())
	case *v1.MissioCard_CrowdedLocation:
		for _, stack := range city {
			have = max(have, len(stack))
		}
		return have, int(c.CrowdedLocation.GetCount())
	}
	return 0, 1
}

func (g Guilds) pair(stack []v1.Character) bool {
	seen := map[v1.Guild]bool{}
	for _, character := range stack {
		if seen[g[character]] {
			return true
		}
		seen[g[character]] = true
	}
	return false
}

// at is empty for a location that does not exist.
func (c *City) at(location v1.Location) []v1.Character {
	if location < 1 || int(location) > len(c) {
		return nil
	}
	return c[location-1]
}

// locations counts those that are as wanted.
func (c *City) locations(wanted func(v1.Location, []v1.Character) bool) (n int) {
	for i, stack := range c {
		if wanted(v1.Location(i+1), stack) {
			n++
		}
	}
	return n
}

func count(stack []v1.Character, wanted func(v1.Character) bool) (n int) {
	for _, character := range stack {
		if wanted(character) {
			n++
		}
	}
	return n
}
