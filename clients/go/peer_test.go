package palio

import (
	"context"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	paliov1 "palio/gen/palio/v1"
)

const patience = 10 * time.Second // only ever waited for by a test that fails

// peer is a server that does nothing by itself: the test speaks for it.
type peer struct {
	paliov1.UnimplementedPlayServiceServer
	t       *testing.T
	address string
	streams chan *line
}

// line is one stream of the client's, in the hands of the test.
type line struct {
	t        *testing.T
	received chan *paliov1.PlayRequest
	send     chan *paliov1.PlayResponse
	end      chan error
	seq      map[string]uint64
}

func newPeer(t *testing.T) *peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, address: listener.Addr().String(), streams: make(chan *line, 16)}
	server := grpc.NewServer()
	paliov1.RegisterPlayServiceServer(server, p)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return p
}

func (p *peer) Play(stream grpc.BidiStreamingServer[paliov1.PlayRequest, paliov1.PlayResponse]) error {
	l := &line{
		t:        p.t,
		received: make(chan *paliov1.PlayRequest, 64),
		send:     make(chan *paliov1.PlayResponse),
		end:      make(chan error),
		seq:      map[string]uint64{},
	}
	p.streams <- l
	go func() {
		for {
			request, err := stream.Recv()
			if err != nil {
				close(l.received)
				return
			}
			l.received <- request
		}
	}()
	for {
		select {
		case response := <-l.send:
			if err := stream.Send(response); err != nil {
				return err
			}
		case err := <-l.end:
			return err
		case <-stream.Context().Done():
			return stream.Context().Err()
		}
	}
}

// accept waits for the next stream and its Hello.
func (p *peer) accept() (*line, *paliov1.Hello) {
	p.t.Helper()
	select {
	case l := <-p.streams:
		hello := l.receive().GetHello()
		if hello == nil {
			p.t.Fatal("the first message is no Hello")
		}
		return l, hello
	case <-time.After(patience):
		p.t.Fatal("no stream was opened")
		return nil, nil
	}
}

// welcome accepts the next stream and opens the session.
func (p *peer) welcome() (*line, *paliov1.Hello) {
	p.t.Helper()
	l, hello := p.accept()
	l.say(&paliov1.Update{Message: &paliov1.Update_Welcome{Welcome: &paliov1.Welcome{PlayerId: "me", ProtocolVersion: 1}}})
	return l, hello
}

func (l *line) say(updates ...*paliov1.Update) {
	l.t.Helper()
	select {
	case l.send <- &paliov1.PlayResponse{Updates: updates}:
	case <-time.After(patience):
		l.t.Fatal("the stream is closed")
	}
}

func (l *line) receive() *paliov1.PlayRequest {
	l.t.Helper()
	select {
	case request, open := <-l.received:
		if !open {
			l.t.Fatal("the client closed the stream")
		}
		return request
	case <-time.After(patience):
		l.t.Fatal("the client says nothing")
	}
	return nil
}

// expect compares the client's next message.
func (l *line) expect(want *paliov1.PlayRequest) {
	l.t.Helper()
	if got := l.receive(); !proto.Equal(got, want) {
		l.t.Fatalf("got %v, want %v", got, want)
	}
}

// quiet makes sure that nothing was said before now.
func (l *line) quiet() {
	l.t.Helper()
	l.say(&paliov1.Update{Message: &paliov1.Update_Ping{Ping: &paliov1.Ping{Nonce: 4711}}})
	l.expect(&paliov1.PlayRequest{Message: &paliov1.PlayRequest_Pong{Pong: &paliov1.Pong{Nonce: 4711}}})
}

// about numbers an update on a match.
func (l *line) about(match string, update *paliov1.Update) *paliov1.Update {
	l.seq[match]++
	update.MatchId, update.Seq = match, l.seq[match]
	return update
}

func started() *paliov1.Update {
	return &paliov1.Update{Message: &paliov1.Update_MatchStarted{MatchStarted: &paliov1.MatchStarted{
		Seat: 1, Game: "fidelitas", Players: []string{"you", "me"}, Attempt: 1,
	}}}
}

func decision(id uint64, options int) *paliov1.Update {
	return &paliov1.Update{Message: &paliov1.Update_Decision{Decision: &paliov1.Decision{
		DecisionId: id, Kind: "PLAY_CARD", Options: make([]*paliov1.Option, options),
		Clock: &paliov1.Clock{Remaining: durationpb.New(time.Hour)},
	}}}
}

func events() *paliov1.Update {
	return &paliov1.Update{Message: &paliov1.Update_Events{Events: &paliov1.Events{Events: []*paliov1.Event{{}}}}}
}

func accepted(id uint64) *paliov1.Update {
	return &paliov1.Update{Message: &paliov1.Update_ChoiceAccepted{ChoiceAccepted: &paliov1.ChoiceAccepted{DecisionId: id}}}
}

func rejected(id uint64, reason paliov1.RejectionReason, triesLeft int32) *paliov1.Update {
	return &paliov1.Update{Message: &paliov1.Update_ChoiceRejected{ChoiceRejected: &paliov1.ChoiceRejected{
		DecisionId: id, Reason: reason, TriesLeft: triesLeft,
	}}}
}

func ended() *paliov1.Update {
	return &paliov1.Update{Message: &paliov1.Update_MatchEnded{MatchEnded: &paliov1.MatchEnded{
		Result: &paliov1.MatchResult{EndedBy: "target"},
	}}}
}

func goodbye(reason paliov1.GoodbyeReason) *paliov1.Update {
	return &paliov1.Update{Message: &paliov1.Update_Goodbye{Goodbye: &paliov1.Goodbye{Reason: reason}}}
}

func choose(match string, id uint64, option int32) *paliov1.PlayRequest {
	return &paliov1.PlayRequest{Message: &paliov1.PlayRequest_Choose{
		Choose: &paliov1.Choose{MatchId: match, DecisionId: id, Option: option},
	}}
}

// begin starts a match and waits for its Ready.
func (l *line) begin(match string) {
	l.t.Helper()
	l.say(l.about(match, started()))
	l.expect(readiness(match))
}

// scripted is a Player whose choices the test makes and whose callbacks the test sees.
type scripted struct {
	match   *Match
	asked   chan *Decision
	answers chan int
	seen    chan any
}

func (s *scripted) Choose(ctx context.Context, d *Decision) (int, error) {
	s.asked <- d
	select {
	case answer := <-s.answers:
		if answer == failing {
			panic("out of ideas")
		}
		return answer, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

const failing = -99

func (s *scripted) Observe(events []*paliov1.Event) error       { s.seen <- events; return nil }
func (s *scripted) End(ended *paliov1.MatchEnded) error         { s.seen <- ended; return nil }
func (s *scripted) Rejected(r *paliov1.ChoiceRejected) error    { s.seen <- r; return nil }
func (s *scripted) SeatStatus(status *paliov1.SeatStatus) error { s.seen <- status; return nil }

// bot is a client under test with a scripted player for each match.
type bot struct {
	t       *testing.T
	client  *Client
	players chan *scripted
	result  chan error
}

func (p *peer) bot(change func(*Config)) *bot {
	config := Config{
		Server: p.address, Name: "tested", Token: "secret", GiveUpAfter: patience,
		MinBackoff: time.Millisecond, MaxBackoff: 2 * time.Millisecond, Logf: p.t.Logf,
	}
	if change != nil {
		change(&config)
	}
	b := &bot{t: p.t, players: make(chan *scripted, 16), result: make(chan error, 1)}
	b.client = NewClient(func(match *Match) (Player, error) {
		player := &scripted{match, make(chan *Decision, 16), make(chan int, 16), make(chan any, 16)}
		b.players <- player
		return player, nil
	}, config)
	ctx, cancel := context.WithCancel(p.t.Context())
	done := make(chan struct{})
	go func() {
		b.result <- b.client.Run(ctx)
		close(done)
	}()
	p.t.Cleanup(func() { cancel(); <-done })
	return b
}

func next[T any](t *testing.T, from chan T) T {
	t.Helper()
	select {
	case item := <-from:
		return item
	case <-time.After(patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}
