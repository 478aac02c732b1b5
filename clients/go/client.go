package palio

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	paliov1 "palio/gen/palio/v1"
)

// endedKept is how many matches that ended are remembered, so that their messages, sent again, start nothing.
const endedKept = 1000

// mostMoves is how many addresses in a row may send the bot on without a Welcome.
const mostMoves = 5

// A Client plays all of a bot's matches over one stream, which it opens again whenever it breaks.
type Client struct {
	config      Config
	bot         Bot
	userContext context.Context
	rooms       sync.WaitGroup

	catalogueMu sync.Mutex
	catalogues  map[string]*paliov1.Catalogue

	mu       sync.Mutex
	matches  map[string]*room
	ended    map[string]int32 // attempts of matches that ended
	endedIDs []string         // the same, oldest first
	finished int
	leaving  bool
	outgoing *mailbox[*paliov1.PlayRequest] // of the open session, else nil
	wake     chan struct{}                  // closed by Leave
}

// NewClient prepares a client; Run connects it.
func NewClient(bot Bot, config Config) *Client {
	return &Client{
		config:  config.withDefaults(),
		bot:     bot,
		matches: map[string]*room{},
		ended:   map[string]int32{},

		catalogues: map[string]*paliov1.Catalogue{},

		wake: make(chan struct{}),
	}
}

// Run plays until the bot left (nil), the server refused it (an *Error), no session could be opened for
// Config.GiveUpAfter (an *Error with ReasonNoServer), or the context ends (its error). It may be called once. After an error, calls of players that
// still run are not waited for; their contexts are cancelled.
func (c *Client) Run(ctx context.Context) error {
	userContext, cancel := context.WithCancel(ctx)
	defer cancel()
	c.userContext = userContext
	err := c.connect(ctx)
	if err != nil {
		c.closeRooms()
		return err
	}
	c.rooms.Wait()
	return nil
}

// Leave asks for no more matches: those that run are finished, then Run returns nil.
func (c *Client) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leave()
}

func (c *Client) leave() {
	if !c.leaving {
		c.leaving = true
		close(c.wake)
		c.send(leaveRequest())
	}
}

func leaveRequest() *paliov1.PlayRequest {
	return &paliov1.PlayRequest{Message: &paliov1.PlayRequest_Leave{Leave: &paliov1.Leave{}}}
}

// connect opens session after session.
func (c *Client) connect(ctx context.Context) error {
	giveUp := time.Now().Add(c.config.GiveUpAfter)
	backoff := c.config.MinBackoff
	server, moves := c.config.Server, 0
	for {
		result := c.session(ctx, server, giveUp)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case result.left || c.done():
			return nil
		case !result.err.Transient():
			return result.err
		}
		if result.welcomed {
			giveUp = time.Now().Add(c.config.GiveUpAfter)
			moves = 0
		}
		if result.progress {
			backoff = c.config.MinBackoff
		}
		if result.moved != "" && moves < mostMoves {
			server = result.moved
			moves++
			continue
		}
		server, moves = c.config.Server, 0
		wait := time.Duration((0.5 + rand.Float64()/2) * float64(backoff))
		if time.Now().Add(wait).After(giveUp) {
			return &Error{
				Code:    result.err.Code,
				Reason:  ReasonNoServer,
				Message: "no session at " + c.config.Server + " within " + c.config.GiveUpAfter.String() + "; last: " + result.err.Error(),
			}
		}
		c.config.Logf("connection lost, trying again in %v: %v", wait.Round(time.Millisecond), result.err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		case <-c.leftIdle():
		}
		backoff = min(2*backoff, c.config.MaxBackoff)
	}
}

// done reports whether nothing is left to do: the bot leaves and no match runs.
func (c *Client) done() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leaving && len(c.matches) == 0
}

// leftIdle is closed when the bot leaves; while matches run it never is, since they want the connection back.
func (c *Client) leftIdle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.matches) > 0 {
		return nil
	}
	return c.wake
}

// closeRooms ends the goroutines of all matches.
func (c *Client) closeRooms() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.matches {
		r.settle(0)
		r.tasks.close()
	}
}

// say sends a request and reports whether there was a session to send it on.
func (c *Client) say(request *paliov1.PlayRequest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.send(request)
}

// send does the same with the mutex held.
func (c *Client) send(request *paliov1.PlayRequest) bool {
	if c.outgoing == nil {
		return false
	}
	c.outgoing.put(request)
	return true
}

func (c *Client) ready(r *room) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.ready = true
	if c.matches[r.match.ID] == r {
		c.send(readiness(r.match.ID))
	}
}

func (c *Client) resign(r *room) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.matches[r.match.ID] == r && !r.resigned {
		r.resigned = true
		c.send(resignation(r.match.ID))
	}
}

func (c *Client) isPending(r *room, p *pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.pending == p && !r.resigned
}

// answer sends the user's choice, unless the decision was settled meanwhile.
func (c *Client) answer(r *room, p *pending, option int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.pending == p && !r.resigned {
		p.choice = &option
		r.answer()
	}
}

// handleMatch takes in one update about a match. It returns an error where updates are missing before it.
func (c *Client) handleMatch(update *paliov1.Update) *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, seq := update.GetMatchId(), update.GetSeq()
	r := c.matches[id]
	if r == nil {
		switch m := update.GetMessage().(type) {
		case *paliov1.Update_MatchStarted:
			c.open(id, seq, m.MatchStarted)
		case *paliov1.Update_Refused:
			c.refused(id, m.Refused)
		}
		return nil
	}
	if seq != 0 {
		if seq <= r.lastSeq {
			return nil
		}
		if seq != r.lastSeq+1 {
			return missing(id, r.lastSeq, seq)
		}
		r.lastSeq = seq
	}
	if refused := update.GetRefused(); refused != nil {
		c.refused(id, refused)
		return nil
	}
	r.handle(update)
	if update.GetMatchEnded() != nil {
		c.forget(id, r.match.GetAttempt())
	}
	return nil
}

func (c *Client) open(id string, seq uint64, started *paliov1.MatchStarted) {
	if attempt, known := c.ended[id]; known && started.GetAttempt() <= attempt {
		return
	}
	r := newRoom(c, id, started)
	r.lastSeq = seq
	c.matches[id] = r
	c.rooms.Go(r.run)
}

// forget drops a match that ended and leaves when it was the last one wanted.
func (c *Client) forget(id string, attempt int32) {
	delete(c.matches, id)
	if _, known := c.ended[id]; !known {
		c.endedIDs = append(c.endedIDs, id)
	}
	c.ended[id] = attempt
	if len(c.endedIDs) > endedKept {
		delete(c.ended, c.endedIDs[0])
		c.endedIDs = c.endedIDs[1:]
	}
	c.finished++
	if c.config.Matches > 0 && c.finished >= c.config.Matches {
		c.leave()
	}
}

func (c *Client) refused(matchID string, refused *paliov1.Refused) {
	c.config.Logf("refused (%s) %s %s: %s", refused.GetReason(), matchID, refused.GetField(), refused.GetText())
}
