package palio.client;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Where and as whom to play. Everything may be left out. */
public final class Config {
  /** Version of this library. */
  public static final String VERSION = "0.1.0";

  /** Version of the protocol that this library speaks. */
  public static final int PROTOCOL_VERSION = 1;

  String server;
  String token;
  String ca;
  boolean tls;
  String cert;
  String key;
  String name;
  String botVersion = "";
  List<String> games = List.of();
  int concurrent = 8;
  int matches;
  Duration giveUpAfter = Duration.ofSeconds(60);
  Duration minBackoff = Duration.ofMillis(100);
  Duration maxBackoff = Duration.ofSeconds(5);
  Consumer<String> log = line -> System.err.println("palio: " + line);

  /** Takes what the environment says: PALIO_SERVER, PALIO_TOKEN, PALIO_CA, PALIO_TLS, PALIO_CERT, PALIO_KEY and PALIO_BOT_NAME. */
  public Config() {
    this(System.getenv());
  }

  Config(Map<String, String> environment) {
    server = either(environment.get("PALIO_SERVER"), "localhost:7654");
    token = either(environment.get("PALIO_TOKEN"), "");
    ca = either(environment.get("PALIO_CA"), "");
    tls = "1".equals(environment.get("PALIO_TLS"));
    cert = either(environment.get("PALIO_CERT"), "");
    key = either(environment.get("PALIO_KEY"), "");
    name = environment.get("PALIO_BOT_NAME");
    named = name != null && !name.isEmpty();
  }

  private final boolean named;

  private static String either(String value, String otherwise) {
    return value == null || value.isEmpty() ? otherwise : value;
  }

  /** {@code host:port} or {@code unix:/path/sock}. Default: PALIO_SERVER, else localhost:7654. */
  public Config server(String address) {
    server = address;
    return this;
  }

  /** Says who the player is. Default: PALIO_TOKEN; may be empty on a server in open local mode. */
  public Config token(String secret) {
    token = secret;
    return this;
  }

  /** Path of a PEM file with the roots that the server's certificate must come from; switches TLS on. */
  public Config ca(String path) {
    ca = path;
    return this;
  }

  /** Whether to use TLS with the system's roots. Default: whether PALIO_TLS is 1. */
  public Config tls(boolean use) {
    tls = use;
    return this;
  }

  /**
   * Paths of PEM files: the bot's own certificate and its key (PKCS 8), for servers that ask for one. Default: PALIO_CERT
   * and PALIO_KEY.
   */
  public Config own(String certificate, String privateKey) {
    cert = certificate;
    key = privateKey;
    return this;
  }

  /**
   * A label, on a server in open local mode also the player's name. PALIO_BOT_NAME overrides it, so that one program can
   * play under several names.
   */
  public Config name(String label) {
    if (!named) {
      name = label;
    }
    return this;
  }

  /** A label. */
  public Config botVersion(String label) {
    botVersion = label;
    return this;
  }

  /** Ids of the games that the bot plays. Default: all. */
  public Config games(String... ids) {
    games = List.of(ids);
    return this;
  }

  /** How many matches to play at the same time, at most. Default: 8. */
  public Config concurrent(int limit) {
    concurrent = limit;
    return this;
  }

  /** After how many finished matches to leave. Default: 0, which means never. */
  public Config matches(int limit) {
    matches = limit;
    return this;
  }

  /** How long to try to open a session before {@link Client#run} fails. Default: 60 s. */
  public Config giveUpAfter(Duration time) {
    giveUpAfter = time;
    return this;
  }

  /** The shortest and the longest wait between tries. Default: 0.1 s and 5 s. */
  public Config backoff(Duration shortest, Duration longest) {
    minBackoff = shortest;
    maxBackoff = longest;
    return this;
  }

  /** Told what the bot's author should know. Default: lines on stderr. */
  public Config log(Consumer<String> to) {
    log = to;
    return this;
  }

  /** Opens a channel to the server; shut it down after use. */
  ManagedChannel channel() {
    return channel(server);
  }

  /** Opens a channel to another address of the server. */
  ManagedChannel channel(String address) {
    var secured = tls || !ca.isEmpty();
    var credentials = secured ? secured() : InsecureChannelCredentials.create();
    return Grpc.newChannelBuilder(address, credentials).build();
  }

  private ChannelCredentials secured() {
    var builder = TlsChannelCredentials.newBuilder();
    var setting = "PALIO_CA";
    try {
      if (!ca.isEmpty()) {
        builder.trustManager(new File(ca));
      }
      setting = "PALIO_CERT and PALIO_KEY";
      if (!cert.isEmpty() || !key.isEmpty()) {
        builder.keyManager(new File(cert), new File(key));
      }
    } catch (IOException error) {
      throw new PalioException(
          Status.Code.INVALID_ARGUMENT, PalioException.INVALID_CONFIG, setting + ": " + error.getMessage());
    }
    return builder.build();
  }

  /** What proves who calls, for calls other than Play. */
  Metadata authorization() {
    var metadata = new Metadata();
    if (!token.isEmpty()) {
      metadata.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    }
    return metadata;
  }
}
