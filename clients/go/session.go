package palio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	paliov1 "palio/gen/palio/v1"
)

const (
	// welcomeTimeout is how long one try waits for Welcome.
	welcomeTimeout = 10 * time.Second
	// missedHeartbeats is after how many heartbeats without any message the connection is taken for dead.
	missedHeartbeats = 3
)

var errSilent = errors.New("the server is silent")

// sessionEnd is what came of one stream.
type sessionEnd struct {
	left     bool   // the bot left and all is done
	welcomed bool   // the session was opened
	progress bool   // it was good for something
	moved    string // where to go on at once
	err      *Error // why it ended, unless left
}

// session opens a stream to a server and plays on it until it ends.
func (c *Client) session(ctx context.Context, server string, giveUp time.Time) sessionEnd {
	config := c.config
	config.Server = server
	conn, err := config.Dial()
	if err != nil {
		return sessionEnd{err: invalidConfig(err)}
	}
	defer conn.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(min(welcomeTimeout, time.Until(giveUp)), func() { cancel(errSilent) })
	defer watchdog.Stop()

	stream, err := paliov1.NewPlayServiceClient(conn).Play(ctx)
	if err == nil {
		err = stream.Send(c.hello())
	}
	if err != nil && !errors.Is(err, io.EOF) { // after io.EOF, Recv tells the reason
		return sessionEnd{err: c.broken(ctx, err)}
	}
	s := &session{client: c, outgoing: newMailbox[*paliov1.PlayRequest](), watchdog: watchdog}
	defer s.close()
	go s.write(stream)
	for {
		response, err := stream.Recv()
		if err != nil {
			s.end.err = c.broken(ctx, err)
			return s.end
		}
		s.alive()
		for _, update := range response.GetUpdates() {
			if s.handle(update) {
				return s.end
			}
		}
	}
}

// broken says why a stream failed.
func (c *Client) broken(ctx context.Context, err error) *Error {
	switch {
	case errors.Is(context.Cause(ctx), errSilent):
		return &Error{Code: codes.Unavailable, Message: errSilent.Error()}
	case errors.Is(err, io.EOF):
		return &Error{Code: codes.Unavailable, Message: "the server closed the stream"}
	}
	return asError(err)
}

func (c *Client) hello() *paliov1.PlayRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	resume := map[string]uint64{}
	for id, r := range c.matches {
		resume[id] = r.lastSeq
	}
	return &paliov1.PlayRequest{Message: &paliov1.PlayRequest_Hello{Hello: &paliov1.Hello{
		Token:                c.config.Token,
		BotName:              c.config.Name,
		BotVersion:           c.config.BotVersion,
		Sdk:                  "palio-go/" + Version,
		ProtocolVersion:      ProtocolVersion,
		Games:                c.config.Games,
		MaxConcurrentMatches: int32(min(c.config.Concurrent, 1<<20)),
		Resume:               resume,
	}}}
}

// session is one stream with its writer.
type session struct {
	client    *Client
	outgoing  *mailbox[*paliov1.PlayRequest]
	watchdog  *time.Timer
	heartbeat time.Duration
	end       sessionEnd
}

// write sends what is put into the mailbox. A send that fails is told by Recv as well.
func (s *session) write(stream grpc.BidiStreamingClient[paliov1.PlayRequest, paliov1.PlayResponse]) {
	for {
		request, ok := s.outgoing.take()
		if !ok || stream.Send(request) != nil {
			return
		}
	}
}

func (s *session) close() {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if s.client.outgoing == s.outgoing {
		s.client.outgoing = nil
	}
	s.outgoing.close()
}

// alive puts the watchdog off, once it is known how often the server speaks.
func (s *session) alive() {
	if s.heartbeat > 0 {
		s.watchdog.Reset(missedHeartbeats * s.heartbeat)
	}
}

// handle takes in one update and reports whether the session is over.
func (s *session) handle(update *paliov1.Update) bool {
	if ping := update.GetPing(); ping != nil {
		pong := &paliov1.Pong{Nonce: ping.GetNonce()}
		s.outgoing.put(&paliov1.PlayRequest{Message: &paliov1.PlayRequest_Pong{Pong: pong}})
		s.end.progress = true
		return false
	}
	if update.GetMatchId() != "" {
		s.end.progress = true
		s.end.err = s.client.handleMatch(update)
		return s.end.err != nil
	}
	switch m := update.GetMessage().(type) {
	case *paliov1.Update_Welcome:
		s.welcome(m.Welcome)
	case *paliov1.Update_Refused:
		s.client.refused("", m.Refused)
	case *paliov1.Update_Goodbye:
		return s.goodbye(m.Goodbye)
	}
	return false
}

// welcome opens the session for everybody and says again what may have been lost with the last one.
func (s *session) welcome(welcome *paliov1.Welcome) {
	s.end.welcomed = true
	s.watchdog.Stop()
	s.heartbeat = welcome.GetHeartbeat().AsDuration()
	s.alive()
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outgoing = s.outgoing
	for _, r := range c.matches {
		r.resume()
	}
	if c.leaving {
		c.send(leaveRequest())
	}
}

func (s *session) goodbye(goodbye *paliov1.Goodbye) bool {
	failure := func(code codes.Code, reason, text string) *Error {
		return &Error{Code: code, Reason: reason, Message: text + ": " + goodbye.GetText()}
	}
	switch goodbye.GetReason() {
	case paliov1.GoodbyeReason_GOODBYE_REASON_LEFT:
		s.end.left = true
	case paliov1.GoodbyeReason_GOODBYE_REASON_REPLACED:
		s.end.err = failure(codes.FailedPrecondition, ReasonReplaced, "a newer session of this player took over")
	case paliov1.GoodbyeReason_GOODBYE_REASON_PROTOCOL:
		s.end.err = failure(codes.InvalidArgument, ReasonProtocol, "the server says that the bot broke the protocol")
	default: // moved, draining, unresponsive, and whatever else may come to be
		if goodbye.GetReason() == paliov1.GoodbyeReason_GOODBYE_REASON_MOVED {
			s.end.moved = goodbye.GetAddress()
		}
		text := fmt.Sprintf("the server said goodbye (%v)", goodbye.GetReason())
		s.end.err = failure(codes.Unavailable, "", text)
	}
	return true
}

// missing is the error where updates about a match were skipped.
func missing(matchID string, last, got uint64) *Error {
	return &Error{
		Code:    codes.Unavailable,
		Message: fmt.Sprintf("match %s: update %d came after %d", matchID, got, last),
	}
}
