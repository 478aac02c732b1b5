//! Generates the messages and the client stubs from the repository's protos. protox is a protoc written in Rust, so
//! that nothing but cargo is needed. `PALIO_PROTO` names another folder with the protos.

use std::{env, error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-env-changed=PALIO_PROTO");
    let protos = match env::var_os("PALIO_PROTO") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../proto"),
    };
    println!("cargo:rerun-if-changed={}", protos.join("palio").display());
    let files = ["palio/v1/play.proto", "palio/v1/catalog.proto"];
    tonic_prost_build::configure()
        // The tests' scripted server needs the server's side; users of the crate do not compile it.
        .server_mod_attribute(".", "#[cfg(test)]")
        .include_file("palio.rs")
        .compile_fds(protox::compile(files, [protos])?)?;
    Ok(())
}
