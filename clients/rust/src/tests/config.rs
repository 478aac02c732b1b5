use tonic::Code;

use crate::{Config, Tls};

fn from(variables: &[(&str, &str)]) -> Config {
    let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string());
    Config::from_lookup("mine", find)
}

#[test]
fn the_environment_is_read() {
    let config = from(&[("PALIO_SERVER", "a:1"), ("PALIO_TOKEN", "t"), ("PALIO_BOT_NAME", "theirs")]);
    assert_eq!((config.server.as_str(), config.token.as_str(), config.bot_name.as_str()), ("a:1", "t", "theirs"));
    assert_eq!(config.tls, Tls::Off);
    assert_eq!((from(&[]).server.as_str(), from(&[]).bot_name.as_str()), ("localhost:7654", "mine"));
}

#[test]
fn tls_is_on_with_a_ca_or_when_asked_for() {
    let tls = |name, value| from(&[("PALIO_SERVER", "a:1"), (name, value)]).tls;
    assert_eq!(tls("PALIO_CA", "ca.pem"), Tls::Ca("ca.pem".into()));
    assert_eq!(tls("PALIO_TLS", "1"), Tls::SystemRoots);
    assert_eq!(tls("PALIO_TLS", "Yes"), Tls::SystemRoots);
    assert_eq!(tls("PALIO_TLS", "0"), Tls::Off);
}

#[test]
fn a_wrong_setting_is_named() {
    let none = Config { max_concurrent_matches: 0, ..Config::new("a:1") };
    assert_eq!(none.check().unwrap_err().field, "max_concurrent_matches");
    let none = Config { matches: Some(0), ..Config::new("a:1") };
    assert_eq!(none.check().unwrap_err().field, "matches");
    for server in ["nowhere", "a b:1", ""] {
        let error = Config::new(server).endpoint().unwrap_err();
        assert_eq!((error.code, error.field.as_str()), (Code::InvalidArgument, "server"), "{server:?}");
    }
    let config = Config { tls: Tls::Ca("/no/such.pem".into()), ..Config::new("a:1") };
    assert_eq!(config.endpoint().unwrap_err().field, "PALIO_CA");
    let config = from(&[("PALIO_SERVER", "a:1"), ("PALIO_TLS", "1"), ("PALIO_CERT", "/no/such.pem")]);
    assert_eq!(config.endpoint().unwrap_err().field, "PALIO_CERT");
}

#[test]
fn both_kinds_of_address_are_taken() {
    for server in ["localhost:7777", "[::1]:7777", "unix:/tmp/palio.sock"] {
        Config::new(server).endpoint().unwrap();
    }
}
