package palio

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	fidelitasv1 "palio/gen/palio/fidelitas/v1"
	paliov1 "palio/gen/palio/v1"
)

func TestHelloSaysWhoTheBotIs(t *testing.T) {
	p := newPeer(t)
	p.bot(func(c *Config) { c.Concurrent, c.Games = 3, []string{"fidelitas"} })
	_, hello := p.welcome()
	want := &paliov1.Hello{
		Token: "secret", BotName: "tested", Sdk: "palio-go/0.1.0", ProtocolVersion: 1,
		Games: []string{"fidelitas"}, MaxConcurrentMatches: 3,
	}
	if !proto.Equal(hello, want) {
		t.Errorf("got %v, want %v", hello, want)
	}
}

func TestAMatchFromStartToLeave(t *testing.T) {
	p := newPeer(t)
	b := p.bot(func(c *Config) { c.Matches = 1 })
	l, _ := p.welcome()
	l.begin("m")
	player := next(t, b.players)
	if player.match.ID != "m" || player.match.GetSeat() != 1 {
		t.Errorf("match %v", player.match)
	}
	l.say(l.about("m", events()), l.about("m", decision(1, 2)))
	if _, isEvents := next(t, player.seen).([]*paliov1.Event); !isEvents {
		t.Error("events come before the decision that depends on them")
	}
	asked := next(t, player.asked)
	if remaining, limited := asked.Remaining(); !limited || remaining <= 0 || remaining > time.Hour {
		t.Errorf("remaining %v", remaining)
	}
	player.answers <- 1
	l.expect(choose("m", 1, 1))
	l.say(l.about("m", accepted(1)), l.about("m", ended()))
	if end, isEnd := next(t, player.seen).(*paliov1.MatchEnded); !isEnd || end.GetResult().GetEndedBy() != "target" {
		t.Error("the end was not told")
	}
	l.expect(leaveRequest())
	l.say(goodbye(paliov1.GoodbyeReason_GOODBYE_REASON_LEFT))
	if err := next(t, b.result); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestPingsAreAnsweredAndOtherMatchesGoOnWhileOneThinks(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("slow")
	slow := next(t, b.players)
	l.begin("quick")
	quick := next(t, b.players)
	l.say(l.about("slow", decision(1, 2)))
	next(t, slow.asked)
	l.quiet() // a Ping is answered
	quick.answers <- 0
	l.say(l.about("quick", decision(1, 2)))
	l.expect(choose("quick", 1, 0))
	slow.answers <- 1
	l.expect(choose("slow", 1, 1))
}

func TestReconnectionResumesAndAnswersAgain(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	player := next(t, b.players)
	l.say(l.about("m", decision(1, 2)))
	player.answers <- 1
	l.expect(choose("m", 1, 1))
	l.end <- status.Error(codes.Unavailable, "cut")

	l, hello := p.welcome()
	if got := hello.GetResume(); len(got) != 1 || got["m"] != 2 {
		t.Errorf("resume %v", got)
	}
	l.expect(choose("m", 1, 1))
	l.say(l.about("m", started()), l.about("m", decision(1, 2))) // seq 1 and 2 again
	l.say(l.about("m", accepted(1)), l.about("m", decision(2, 2)))
	next(t, player.asked)
	if id := next(t, player.asked).GetDecisionId(); id != 2 {
		t.Errorf("asked for decision %d", id)
	}
	player.answers <- 0
	l.expect(choose("m", 2, 0))
}

func TestReadyIsSaidAgainUnlessTheServerHeardIt(t *testing.T) {
	p := newPeer(t)
	p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	l.end <- nil // a stream that ends without Goodbye is a lost connection
	l, _ = p.welcome()
	l.expect(readiness("m"))
	l.seq["m"] = 1
	l.say(l.about("m", events()))
	l.quiet()
	l.end <- nil
	l, _ = p.welcome()
	l.quiet()
}

func TestAGapLeadsToResume(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	l.about("m", events()) // lost
	l.say(l.about("m", decision(1, 2)))
	l, hello := p.welcome()
	if hello.GetResume()["m"] != 1 {
		t.Errorf("resume %v", hello.GetResume())
	}
	l.expect(readiness("m"))
	l.seq["m"] = 1
	l.say(l.about("m", events()), l.about("m", decision(1, 2)))
	next(t, next(t, b.players).asked)
}

func TestHistoryIsNotAsked(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	history := decision(1, 2)
	history.GetDecision().Answered = proto.Int32(0)
	l.say(l.about("m", history), l.about("m", decision(2, 2)))
	player := next(t, b.players)
	if id := next(t, player.asked).GetDecisionId(); id != 2 {
		t.Errorf("asked for decision %d", id)
	}
}

func TestAnAnswerThatComesTooLateIsDropped(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	player := next(t, b.players)
	l.say(l.about("m", decision(1, 2)))
	next(t, player.asked)
	l.say(l.about("m", accepted(1))) // ends the context, so that the player returns
	l.say(l.about("m", decision(2, 2)))
	next(t, player.asked)
	player.answers <- 1
	l.expect(choose("m", 2, 1))
}

func TestARejectedChoiceIsAskedAgainWhileTriesAreLeft(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	player := next(t, b.players)
	l.say(l.about("m", decision(1, 2)))
	player.answers <- 7
	l.expect(choose("m", 1, 7))
	l.say(l.about("m", rejected(1, paliov1.RejectionReason_REJECTION_REASON_STALE, 2)))
	l.say(l.about("m", rejected(1, paliov1.RejectionReason_REJECTION_REASON_ILLEGAL, 1)))
	if r := next(t, player.seen).(*paliov1.ChoiceRejected); r.GetReason() != paliov1.RejectionReason_REJECTION_REASON_ILLEGAL {
		t.Errorf("told of %v", r)
	}
	player.answers <- 8
	l.expect(choose("m", 1, 8))
	l.say(l.about("m", rejected(1, paliov1.RejectionReason_REJECTION_REASON_ILLEGAL, 0)))
	next(t, player.seen)
	l.quiet()
	if n := len(player.asked); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

func TestABotThatFailsLosesOnlyThatMatch(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("bad")
	bad := next(t, b.players)
	l.begin("good")
	good := next(t, b.players)
	bad.answers <- failing
	l.say(l.about("bad", decision(1, 2)))
	l.expect(resignation("bad"))
	good.answers <- 1
	l.say(l.about("good", decision(1, 2)))
	l.expect(choose("good", 1, 1))
	l.end <- nil
	l, _ = p.welcome()
	for range 2 { // in any order
		switch got := l.receive(); {
		case proto.Equal(got, resignation("bad")), proto.Equal(got, choose("good", 1, 1)):
		default:
			t.Errorf("said again: %v", got)
		}
	}
}

func TestARefusalIsFinalAndTyped(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.accept()
	refusal, err := status.New(codes.Unauthenticated, "unknown token").WithDetails(
		&errdetails.ErrorInfo{Reason: "UNAUTHENTICATED", Domain: "palio", Metadata: map[string]string{"a": "b"}},
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "hello.token"}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	l.end <- refusal.Err()
	var got *Error
	if !errors.As(next(t, b.result), &got) {
		t.Fatal("not an *Error")
	}
	if got.Code != codes.Unauthenticated || got.Reason != "UNAUTHENTICATED" || got.Field != "hello.token" ||
		got.Message != "unknown token" || got.Metadata["a"] != "b" {
		t.Errorf("got %+v", got)
	}
}

func TestAFullServerIsTriedAgain(t *testing.T) {
	p := newPeer(t)
	p.bot(nil)
	for _, code := range []codes.Code{codes.Unavailable, codes.ResourceExhausted, codes.Internal} {
		l, _ := p.accept()
		l.end <- status.Error(code, "later")
	}
	p.welcome()
}

func TestWithoutAServerTheBotGivesUp(t *testing.T) {
	p := newPeer(t)
	b := p.bot(func(c *Config) { c.Server, c.GiveUpAfter = "unix:/nowhere/at/all", 50*time.Millisecond })
	var got *Error
	if err := next(t, b.result); !errors.As(err, &got) || got.Reason != ReasonNoServer {
		t.Errorf("got %v", err)
	}
}

func TestGoodbyes(t *testing.T) {
	for reason, want := range map[paliov1.GoodbyeReason]string{
		paliov1.GoodbyeReason_GOODBYE_REASON_REPLACED: ReasonReplaced,
		paliov1.GoodbyeReason_GOODBYE_REASON_PROTOCOL: ReasonProtocol,
	} {
		p := newPeer(t)
		b := p.bot(nil)
		l, _ := p.welcome()
		l.say(goodbye(reason))
		var got *Error
		if err := next(t, b.result); !errors.As(err, &got) || got.Reason != want {
			t.Errorf("%v: got %v", reason, err)
		}
	}
	for _, reason := range []paliov1.GoodbyeReason{
		paliov1.GoodbyeReason_GOODBYE_REASON_DRAINING, paliov1.GoodbyeReason_GOODBYE_REASON_UNRESPONSIVE, 99,
	} {
		p := newPeer(t)
		p.bot(nil)
		l, _ := p.welcome()
		l.say(goodbye(reason))
		p.welcome()
	}
}

func TestLeaveFinishesWhatRuns(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	player := next(t, b.players)
	b.client.Leave()
	l.expect(leaveRequest())
	l.end <- nil // even over a lost connection
	l, _ = p.welcome()
	for range 2 { // in any order
		switch got := l.receive(); {
		case proto.Equal(got, readiness("m")), proto.Equal(got, leaveRequest()):
		default:
			t.Errorf("said again: %v", got)
		}
	}
	l.seq["m"] = 1
	player.answers <- 0
	l.say(l.about("m", decision(1, 2)))
	l.expect(choose("m", 1, 0))
	l.say(l.about("m", ended()), goodbye(paliov1.GoodbyeReason_GOODBYE_REASON_LEFT))
	if err := next(t, b.result); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestAnEndedMatchDoesNotStartAgainButItsNextAttemptDoes(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	next(t, b.players)
	l.say(l.about("m", ended()))
	l.seq["m"] = 0
	l.say(l.about("m", started()), l.about("m", ended()))
	l.quiet()
	l.seq["m"] = 0
	again := started()
	again.GetMatchStarted().Attempt = 2
	l.say(l.about("m", again))
	l.expect(readiness("m"))
}

func TestASilentServerIsLeftAndFoundAgain(t *testing.T) {
	p := newPeer(t)
	p.bot(nil)
	l, _ := p.accept()
	l.say(&paliov1.Update{Message: &paliov1.Update_Welcome{Welcome: &paliov1.Welcome{
		Heartbeat: durationpb.New(10 * time.Millisecond),
	}}})
	p.welcome()
}

func TestWhatIsUnknownIsTolerated(t *testing.T) {
	p := newPeer(t)
	b := p.bot(nil)
	l, _ := p.welcome()
	l.begin("m")
	player := next(t, b.players)
	unknown := protowire.AppendTag(nil, 2000, protowire.BytesType)
	unknown = protowire.AppendString(unknown, "from the future")
	strange := &paliov1.Update{}
	strange.ProtoReflect().SetUnknown(unknown)
	l.say(strange, l.about("m", proto.Clone(strange).(*paliov1.Update)))
	l.say(l.about("m", rejected(1, 77, 1)))
	asking := decision(1, 2)
	asking.ProtoReflect().SetUnknown(unknown)
	asking.GetDecision().Options[1] = &paliov1.Option{Game: &paliov1.Option_Fidelitas{Fidelitas: &fidelitasv1.Option{
		Choice: &fidelitasv1.Option_HandCard_{HandCard: &fidelitasv1.Option_HandCard{Character: 99}},
	}}}
	l.say(l.about("m", asking))
	if got := next(t, player.asked).GetOptions()[1].GetFidelitas().GetHandCard().GetCharacter(); got != 99 {
		t.Errorf("character %v", got)
	}
	player.answers <- 0
	l.expect(choose("m", 1, 0))
}
