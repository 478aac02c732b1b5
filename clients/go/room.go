package palio

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	paliov1 "palio/gen/palio/v1"
)

// A room is the client's side of one match. Its fields are guarded by the client's mutex, except that player belongs
// to the room's goroutine, which runs all of the user's code in the order of the tasks.
type room struct {
	client *Client
	match  *Match
	player Player
	tasks  *mailbox[func() error]

	lastSeq  uint64
	ready    bool // Ready was said, or would have been with a connection
	underway bool // the server is known to have heard Ready
	resigned bool
	pending  *pending // the open decision
}

// pending is a decision that waits for its answer to count.
type pending struct {
	decision *Decision
	ctx      context.Context
	cancel   context.CancelFunc
	choice   *int32 // what was answered
}

func newRoom(client *Client, id string, started *paliov1.MatchStarted) *room {
	r := &room{client: client, tasks: newMailbox[func() error]()}
	r.match = &Match{ID: id, MatchStarted: started, room: r}
	r.tasks.put(r.start)
	return r
}

// run runs the user's code until the match ends. What fails there costs this match only.
func (r *room) run() {
	for {
		task, ok := r.tasks.take()
		if !ok {
			return
		}
		if err := guarded(task); err != nil {
			r.client.config.Logf("match %s resigned, the bot failed: %v", r.match.ID, err)
			r.client.resign(r)
			r.player = nil
		}
	}
}

// guarded turns a panic of the user's code into an error.
func guarded(task func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	return task()
}

func (r *room) start() error {
	player, err := r.client.bot(r.match)
	if err != nil {
		return err
	}
	r.player = player
	r.client.ready(r)
	return nil
}

// handle takes in one update about the match; the client's mutex is held.
func (r *room) handle(update *paliov1.Update) {
	switch m := update.GetMessage().(type) {
	case *paliov1.Update_Events:
		r.underway = true
		enqueue(r, func(player Observer) error { return player.Observe(m.Events.GetEvents()) })
	case *paliov1.Update_Decision:
		r.underway = true
		r.decide(m.Decision)
	case *paliov1.Update_ChoiceAccepted:
		r.settle(m.ChoiceAccepted.GetDecisionId())
	case *paliov1.Update_ChoiceRejected:
		r.reject(m.ChoiceRejected)
	case *paliov1.Update_SeatStatus:
		enqueue(r, func(player StatusHandler) error { return player.SeatStatus(m.SeatStatus) })
	case *paliov1.Update_MatchEnded:
		r.settle(0)
		enqueue(r, func(player Ender) error { return player.End(m.MatchEnded) })
		r.tasks.close()
	}
}

// enqueue has the match's goroutine call the player, if it is a T.
func enqueue[T any](r *room, call func(T) error) {
	r.tasks.put(func() error {
		if player, ok := r.player.(T); ok {
			return call(player)
		}
		return nil
	})
}

func (r *room) decide(question *paliov1.Decision) {
	if question.Answered != nil {
		r.settle(question.GetDecisionId())
		return
	}
	if p := r.pending; p != nil && p.decision.GetDecisionId() == question.GetDecisionId() {
		r.answer() // asked again: the answer may have been lost
		return
	}
	r.settle(0)
	decision := &Decision{Decision: question, Match: r.match, received: time.Now()}
	p := &pending{decision: decision}
	if deadline, limited := decision.Deadline(); limited {
		p.ctx, p.cancel = context.WithDeadline(r.client.userContext, deadline)
	} else {
		p.ctx, p.cancel = context.WithCancel(r.client.userContext)
	}
	r.pending = p
	r.tasks.put(func() error { return r.choose(p) })
}

// choose asks the user; without the client's mutex.
func (r *room) choose(p *pending) error {
	if r.player == nil || !r.client.isPending(r, p) {
		return nil
	}
	option, err := r.player.Choose(p.ctx, p.decision)
	if err != nil {
		if !r.client.isPending(r, p) {
			return nil // it was called off
		}
		return err
	}
	if option < math.MinInt32 || option > math.MaxInt32 {
		return fmt.Errorf("option %d of %d", option, len(p.decision.GetOptions()))
	}
	r.client.answer(r, p, int32(option))
	return nil
}

// answer says what was chosen, if it was; the client's mutex is held.
func (r *room) answer() {
	if r.pending != nil && r.pending.choice != nil {
		r.client.send(&paliov1.PlayRequest{Message: &paliov1.PlayRequest_Choose{Choose: &paliov1.Choose{
			MatchId:    r.match.ID,
			DecisionId: r.pending.decision.GetDecisionId(),
			Option:     *r.pending.choice,
		}}})
	}
}

// settle ends the pending decision if it is the named one, or whatever it is for 0.
func (r *room) settle(decisionID uint64) {
	if p := r.pending; p != nil && (decisionID == 0 || p.decision.GetDecisionId() == decisionID) {
		p.cancel()
		r.pending = nil
	}
}

func (r *room) reject(rejected *paliov1.ChoiceRejected) {
	if rejected.GetReason() == paliov1.RejectionReason_REJECTION_REASON_STALE {
		return
	}
	r.client.config.Logf("match %s: choice rejected (%v): %s", r.match.ID, rejected.GetReason(), rejected.GetText())
	enqueue(r, func(player RejectionHandler) error { return player.Rejected(rejected) })
	p := r.pending
	if p == nil || p.choice == nil || p.decision.GetDecisionId() != rejected.GetDecisionId() {
		return
	}
	p.choice = nil
	if rejected.GetTriesLeft() > 0 {
		r.tasks.put(func() error { return r.choose(p) })
	}
}

// resume says again what may have been lost with the last connection; the client's mutex is held.
func (r *room) resume() {
	switch {
	case r.resigned:
		r.client.send(resignation(r.match.ID))
	case r.ready && !r.underway:
		r.client.send(readiness(r.match.ID))
	default:
		r.answer()
	}
}

func readiness(matchID string) *paliov1.PlayRequest {
	return &paliov1.PlayRequest{Message: &paliov1.PlayRequest_Ready{Ready: &paliov1.Ready{MatchId: matchID}}}
}

func resignation(matchID string) *paliov1.PlayRequest {
	return &paliov1.PlayRequest{Message: &paliov1.PlayRequest_Resign{Resign: &paliov1.Resign{MatchId: matchID}}}
}
