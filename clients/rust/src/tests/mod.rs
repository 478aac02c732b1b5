//! Tests of the whole library against a scripted server in the same process.

mod config;
mod error;
mod play;
mod session;
mod support;
