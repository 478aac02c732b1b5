// Package fidelitas judges the City by the catalogue's data: Missio cards (this file) and what to play (greedy.go, which
// follows docs/greedy.md to the letter). It needs no rules engine.
package fidelitas

import (
	"slices"

	v1 "palio/gen/palio/fidelitas/v1"
)

const (
	tavernNorth = v1.Location_LOCATION_TAVERN_NORTH
	tavernSouth = v1.Location_LOCATION_TAVERN_SOUTH
	swindler    = v1.Character_CHARACTER_SWINDLER

	// unknownDistance is that of a condition of a kind that this library does not know.
	unknownDistance = 7
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

// A Stack holds the cards of a location, bottom to top. It is never changed, only replaced.
type Stack []v1.Character

// City holds the stacks of the ten locations: that of location n at index n-1.
type City [10]Stack

// CityOf reads the City from an observation.
func CityOf(observation *v1.Observation) City {
	var city City
	for i, stack := range observation.GetStacks() {
		if i < len(city) {
			city[i] = stack.GetCards()
		}
	}
	return city
}

// Locations are those that exist: all ten, or those of the solo game, which has no Tavern.
func Locations(solo bool) []v1.Location {
	var locations []v1.Location
	for n := v1.Location_LOCATION_COURTHOUSE; n <= v1.Location_LOCATION_WAREHOUSE; n++ {
		if !solo || n != tavernNorth && n != tavernSouth {
			locations = append(locations, n)
		}
	}
	return locations
}

// Met reports whether the City fulfils a Missio card. A condition of an unknown kind is never fulfilled.
func (g Guilds) Met(card *v1.MissioCard, city City, locations []v1.Location) bool {
	return g.Distance(card, city, locations) == 0
}

// Distance is how far the City is from fulfilling a Missio card, by docs/greedy.md; 0 where it does.
func (g Guilds) Distance(card *v1.MissioCard, city City, locations []v1.Location) int {
	countLocations := func(of []v1.Location, wanted func(Stack) bool) (n int) {
		for _, location := range of {
			if wanted(city.at(location)) {
				n++
			}
		}
		return n
	}
	countCards := func(wanted func(height int, character v1.Character) bool) (n int) {
		for _, location := range locations {
			for height, character := range city.at(location) {
				if wanted(height, character) {
					n++
				}
			}
		}
		return n
	}
	missing := func(count uint32, have int) int { return max(0, int(count)-have) }

	switch c := card.GetCondition().(type) {
	case *v1.MissioCard_DistinctGuilds:
		seen := map[v1.Guild]bool{}
		for _, location := range c.DistinctGuilds.GetLocations() {
			for _, character := range city.at(location) {
				seen[g[character]] = true
			}
		}
		return missing(c.DistinctGuilds.GetCount(), len(seen))
	case *v1.MissioCard_CharacterCount:
		wanted := c.CharacterCount.GetCharacter()
		return missing(c.CharacterCount.GetCount(), countCards(func(_ int, character v1.Character) bool { return character == wanted }))
	case *v1.MissioCard_EmptyLocations:
		var sizes []int
		for _, location := range locations {
			sizes = append(sizes, len(city.at(location)))
		}
		slices.Sort(sizes)
		sum := 0
		for _, size := range sizes[:min(len(sizes), int(c.EmptyLocations.GetCount()))] {
			sum += size
		}
		return sum
	case *v1.MissioCard_CharacterAtEach:
		wanted := c.CharacterAtEach.GetCharacter()
		return countLocations(c.CharacterAtEach.GetLocations(), func(s Stack) bool { return !slices.Contains(s, wanted) })
	case *v1.MissioCard_GuildAtEach:
		wanted := c.GuildAtEach.GetGuild()
		return countLocations(c.GuildAtEach.GetLocations(), func(s Stack) bool {
			return !slices.ContainsFunc(s, func(character v1.Character) bool { return g[character] == wanted })
		})
	case *v1.MissioCard_CharacterSpread:
		wanted := c.CharacterSpread.GetCharacter()
		return missing(c.CharacterSpread.GetCount(), countLocations(locations, func(s Stack) bool { return slices.Contains(s, wanted) }))
	case *v1.MissioCard_ActiveSwindlers:
		active := func(height int, character v1.Character) bool { return height > 0 && character == swindler }
		return missing(c.ActiveSwindlers.GetCount(), countCards(active))
	case *v1.MissioCard_GuildPairs:
		return missing(c.GuildPairs.GetCount(), countLocations(locations, g.pair))
	case *v1.MissioCard_CrowdedLocation:
		largest := 0
		for _, location := range locations {
			largest = max(largest, len(city.at(location)))
		}
		return missing(c.CrowdedLocation.GetCount(), largest)
	}
	return unknownDistance
}

// pair reports whether two cards of one guild lie in the stack.
func (g Guilds) pair(stack Stack) bool {
	for i, character := range stack {
		if slices.ContainsFunc(stack[:i], func(other v1.Character) bool { return g[other] == g[character] }) {
			return true
		}
	}
	return false
}

// at is empty for a location that does not exist.
func (c *City) at(location v1.Location) Stack {
	if location < 1 || int(location) > len(c) {
		return nil
	}
	return c[location-1]
}

// put returns the City with the character on top of the location.
func (c City) put(location v1.Location, character v1.Character) City {
	if location >= 1 && int(location) <= len(c) {
		c[location-1] = append(slices.Clip(c[location-1]), character)
	}
	return c
}

// lift returns the City without the topmost copy of the character at the location.
func (c City) lift(location v1.Location, character v1.Character) City {
	if i := c.top(location, character); i >= 0 {
		c[location-1] = slices.Concat(c[location-1][:i], c[location-1][i+1:])
	}
	return c
}

func (c City) move(from v1.Location, character v1.Character, to v1.Location) City {
	return c.lift(from, character).put(to, character)
}

// swap returns the City with the topmost copies of both in each other's place.
func (c City) swap(x v1.Location, p v1.Character, y v1.Location, q v1.Character) City {
	i, j := c.top(x, p), c.top(y, q)
	if i >= 0 && j >= 0 {
		c[x-1], c[y-1] = slices.Clone(c[x-1]), slices.Clone(c[y-1])
		c[x-1][i], c[y-1][j] = q, p
	}
	return c
}

// top is the index of the topmost copy of the character at the location, -1 if there is none.
func (c *City) top(location v1.Location, character v1.Character) int {
	stack := c.at(location)
	for i := len(stack) - 1; i >= 0; i-- {
		if stack[i] == character {
			return i
		}
	}
	return -1
}
