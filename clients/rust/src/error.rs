//! One typed error for everything that a server refuses or a connection loses.

use std::{collections::BTreeMap, fmt};

use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Why a call or a session failed.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    /// The gRPC status code.
    pub code: Code,
    /// The reason in the server's table, for example `UNAUTHENTICATED`; empty where no Palio server spoke.
    pub reason: String,
    /// Path of the field that is at fault; empty where none is.
    pub field: String,
    /// For people.
    pub message: String,
    /// Further facts for programs, for example the allowed values.
    pub metadata: BTreeMap<String, String>,
}

impl Error {
    pub(crate) fn new(code: Code, reason: &str, message: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), field: String::new(), message: message.into(), metadata: BTreeMap::new() }
    }

    /// A setting that makes no sense; `field` is its name.
    pub(crate) fn setting(field: &str, message: impl Into<String>) -> Self {
        Self { field: field.into(), ..Self::new(Code::InvalidArgument, "INVALID_SETTING", message) }
    }

    /// Whether trying again later may help: the server drains or is full, or the connection broke.
    pub fn is_transient(&self) -> bool {
        use Code::*;
        match self.code {
            Unavailable | ResourceExhausted => true,
            Internal | Unknown | Cancelled | DeadlineExceeded | Aborted => self.reason.is_empty(),
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason.as_str() {
            "" => write!(out, "{:?}", self.code)?,
            reason => write!(out, "{reason}")?,
        }
        if !self.field.is_empty() {
            write!(out, " ({})", self.field)?;
        }
        write!(out, ": {}", self.message)
    }
}

/// As for people: it is what a `main` that returns the error prints.
impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl std::error::Error for Error {}

impl From<Status> for Error {
    /// Reads `google.rpc.ErrorInfo` (of the domain `palio`) and `BadRequest`; what cannot be read is left out.
    fn from(status: Status) -> Self {
        let mut error = Self::new(status.code(), "", with_causes(status.message(), &status));
        if let Some(info) = status.get_details_error_info().filter(|info| info.domain == "palio") {
            error.reason = info.reason;
            error.metadata = info.metadata.into_iter().collect();
        }
        if let Some(bad) = status.get_details_bad_request() {
            error.field = bad.field_violations.into_iter().next().map(|violation| violation.field).unwrap_or_default();
        }
        error
    }
}

impl From<tonic::transport::Error> for Error {
    fn from(error: tonic::transport::Error) -> Self {
        Self::new(Code::Unavailable, "", with_causes(&error.to_string(), &error))
    }
}

/// A text with those of the error's causes that it does not contain already.
fn with_causes(text: &str, error: &dyn std::error::Error) -> String {
    let mut text = text.to_owned();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = inner.source();
    }
    text
}
