use std::collections::HashMap;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::Error;

fn refusal(domain: &str) -> Status {
    let mut details = ErrorDetails::new();
    details.set_error_info("TOO_LARGE", domain, HashMap::from([("max".to_string(), "64".to_string())]));
    details.add_bad_request_violation("hello.games[0]", "too long");
    Status::with_error_details(Code::InvalidArgument, "no such thing", details)
}

#[test]
fn details_are_read() {
    let error = Error::from(refusal("palio"));
    assert_eq!((error.code, error.reason.as_str()), (Code::InvalidArgument, "TOO_LARGE"));
    assert_eq!((error.field.as_str(), error.metadata["max"].as_str()), ("hello.games[0]", "64"));
    assert_eq!(error.to_string(), "TOO_LARGE (hello.games[0]): no such thing");
}

#[test]
fn reasons_of_other_domains_are_left_out() {
    let error = Error::from(refusal("elsewhere"));
    assert_eq!(error.reason, "");
    assert_eq!(error.to_string(), "InvalidArgument (hello.games[0]): no such thing");
}

#[test]
fn only_a_lost_connection_or_a_busy_server_is_worth_another_try() {
    let transient = |code, reason| Error::new(code, reason, "").is_transient();
    assert!(transient(Code::Unavailable, "DRAINING") && transient(Code::ResourceExhausted, "LIMIT_REACHED"));
    assert!(transient(Code::Internal, "") && transient(Code::Cancelled, "") && transient(Code::Unknown, ""));
    assert!(!transient(Code::Internal, "INTERNAL") && !transient(Code::Unauthenticated, ""));
    assert!(!transient(Code::FailedPrecondition, "UNSUPPORTED_VERSION"));
}
