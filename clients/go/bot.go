// Package palio connects bots to a Palio server.
//
// A bot is a function that says who plays a match: see Bot, Player and the programs in cmd.
package palio

import (
	"context"
	"time"

	fidelitasv1 "palio/gen/palio/fidelitas/v1"
	paliov1 "palio/gen/palio/v1"
)

// A Bot is called once for each match, as the match starts, and returns who plays it. The match waits for it within its
// init budget. An error resigns the match.
type Bot func(match *Match) (Player, error)

// A Player plays one match. All its methods are called from one goroutine, in the order in which things happened; the
// players of several matches run at the same time.
//
// A Player may also be an Observer, an Ender, a RejectionHandler or a StatusHandler. An error (or a panic) of any of
// its methods is reported and resigns its match, and the Player is not called again; other matches go on.
type Player interface {
	// Choose returns the index of one of the decision's options. The context ends when the answer can no longer count;
	// its deadline is that of the decision, where there is one.
	Choose(ctx context.Context, decision *Decision) (int, error)
}

// ChooseFunc is a Player that only chooses.
type ChooseFunc func(ctx context.Context, decision *Decision) (int, error)

// Choose calls f.
func (f ChooseFunc) Choose(ctx context.Context, decision *Decision) (int, error) {
	return f(ctx, decision)
}

// An Observer is told what happens in its match, always before the decision that depends on it.
type Observer interface {
	Observe(events []*paliov1.Event) error
}

// An Ender is told how its match ended; nothing follows.
type Ender interface {
	End(ended *paliov1.MatchEnded) error
}

// A RejectionHandler is told of choices that did not count (except late ones). If the decision is still open, Choose is
// called again afterwards.
type RejectionHandler interface {
	Rejected(rejected *paliov1.ChoiceRejected) error
}

// A StatusHandler is told when another seat loses or finds its connection.
type StatusHandler interface {
	SeatStatus(status *paliov1.SeatStatus) error
}

// A Match is one playing, as its bot knows it.
type Match struct {
	// ID names the match on its server.
	ID string
	// MatchStarted holds the seat, the game, its options, the players and the time control.
	*paliov1.MatchStarted

	room *room
}

// Catalogue is the match's game as data, its cards for example. The server is asked once for each game.
func (m *Match) Catalogue(ctx context.Context) (*paliov1.Catalogue, error) {
	return m.room.client.catalogue(ctx, m.GetGame())
}

// Resign gives the match up.
func (m *Match) Resign() { m.room.client.resign(m.room) }

// Signal talks to the partner of a team match. It reports whether there was a connection to say it on.
func (m *Match) Signal(words *fidelitasv1.Words) bool {
	return m.room.client.say(&paliov1.PlayRequest{Message: &paliov1.PlayRequest_Signal{Signal: &paliov1.Signal{
		MatchId: m.ID, Words: &paliov1.Words{Game: &paliov1.Words_Fidelitas{Fidelitas: words}},
	}}})
}

// A Decision is a question with at least two answers.
type Decision struct {
	// Decision holds the observation, the options and the clock as the server sent them.
	*paliov1.Decision
	// Match is the match that it belongs to.
	Match *Match

	received time.Time
}

// Fidelitas returns the observation and the options of a decision of Fidelitas.
func (d *Decision) Fidelitas() (*fidelitasv1.Observation, []*fidelitasv1.Option) {
	options := make([]*fidelitasv1.Option, len(d.GetOptions()))
	for i, option := range d.GetOptions() {
		options[i] = option.GetFidelitas()
	}
	return d.GetObservation().GetFidelitas(), options
}

// Deadline is when the time for this decision runs out, by the local clock; false where there is no limit. What the
// network needs is not deducted.
func (d *Decision) Deadline() (time.Time, bool) {
	remaining := d.GetClock().GetRemaining()
	if remaining == nil {
		return time.Time{}, false
	}
	return d.received.Add(remaining.AsDuration()), true
}

// Remaining is what is left until Deadline; false where there is no limit.
func (d *Decision) Remaining() (time.Duration, bool) {
	deadline, limited := d.Deadline()
	if !limited {
		return 0, false
	}
	return time.Until(deadline), true
}
