package palio

import (
	"errors"
	"fmt"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Reasons that the library itself gives; all others come from the server's table of errors.
const (
	// ReasonReplaced says that a newer session of the same player took over.
	ReasonReplaced = "REPLACED"
	// ReasonProtocol says that the bot broke the protocol, by the server's word.
	ReasonProtocol = "PROTOCOL"
	// ReasonNoServer says that no session could be opened within Config.GiveUpAfter.
	ReasonNoServer = "NO_SERVER"
	// ReasonInvalidConfig says that Config is at fault, for example a CA file that cannot be read.
	ReasonInvalidConfig = "INVALID_CONFIG"
)

// Error is what went wrong with a call or a session: one type for every cause.
type Error struct {
	// Code is the gRPC status code.
	Code codes.Code
	// Reason is for programs, for example UNAUTHENTICATED; empty where no Palio server spoke (a broken connection).
	Reason string
	// Field is the path of the field at fault; often empty.
	Field string
	// Message is for people.
	Message string
	// Metadata holds further facts for programs.
	Metadata map[string]string
}

func (e *Error) Error() string {
	reason := e.Reason
	if reason == "" {
		reason = e.Code.String()
	}
	if e.Field != "" {
		return fmt.Sprintf("%s: %s: %s", reason, e.Field, e.Message)
	}
	return reason + ": " + e.Message
}

// Transient reports whether the same may work later: the server drains or is full, or the connection broke.
func (e *Error) Transient() bool {
	switch e.Code {
	case codes.Unavailable, codes.ResourceExhausted:
		return true
	case codes.Internal, codes.Unknown, codes.Canceled, codes.DeadlineExceeded, codes.Aborted:
		return e.Reason == ""
	}
	return false
}

// asError reads a failed call's status and its details.
func asError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	s := status.Convert(err)
	e := &Error{Code: s.Code(), Message: s.Message()}
	for _, detail := range s.Details() {
		switch d := detail.(type) {
		case *errdetails.ErrorInfo:
			if d.GetDomain() == "palio" {
				e.Reason, e.Metadata = d.GetReason(), d.GetMetadata()
			}
		case *errdetails.BadRequest:
			for _, violation := range d.GetFieldViolations() {
				e.Field = violation.GetField()
				break
			}
		}
	}
	return e
}

func invalidConfig(err error) *Error {
	return &Error{Code: codes.InvalidArgument, Reason: ReasonInvalidConfig, Message: err.Error()}
}
