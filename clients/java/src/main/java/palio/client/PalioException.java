package palio.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.util.Map;

/** What went wrong with a call or a session: one type for every cause. */
public final class PalioException extends RuntimeException {
  /** Reason: a newer session of the same player took over. */
  public static final String REPLACED = "REPLACED";

  /** Reason: the bot broke the protocol, by the server's word. */
  public static final String PROTOCOL = "PROTOCOL";

  /** Reason: no session could be opened within the time that the bot tries. */
  public static final String NO_SERVER = "NO_SERVER";

  /** Reason: the configuration is at fault, for example a CA file that cannot be read. */
  public static final String INVALID_CONFIG = "INVALID_CONFIG";

  private final Status.Code code;
  private final String reason;
  private final String field;
  private final Map<String, String> metadata;

  PalioException(Status.Code code, String reason, String field, String message, Map<String, String> metadata) {
    super((reason.isEmpty() ? code : reason) + ": " + (field.isEmpty() ? "" : field + ": ") + message);
    this.code = code;
    this.reason = reason;
    this.field = field;
    this.metadata = Map.copyOf(metadata);
  }

  PalioException(Status.Code code, String reason, String message) {
    this(code, reason, "", message, Map.of());
  }

  /** Reads a failed call's status. What cannot be read of its details is left out. */
  static PalioException of(Throwable failure) {
    var status = Status.fromThrowable(failure);
    var reason = "";
    var field = "";
    Map<String, String> metadata = Map.of();
    var details = StatusProto.fromThrowable(failure);
    if (details != null) {
      for (Any detail : details.getDetailsList()) {
        try {
          if (detail.is(ErrorInfo.class)) {
            var info = detail.unpack(ErrorInfo.class);
            if (info.getDomain().equals("palio")) {
              reason = info.getReason();
              metadata = info.getMetadataMap();
            }
          } else if (detail.is(BadRequest.class)) {
            var violations = detail.unpack(BadRequest.class).getFieldViolationsList();
            field = violations.isEmpty() ? "" : violations.get(0).getField();
          }
        } catch (InvalidProtocolBufferException unreadable) {
          continue; // the code and the message say enough
        }
      }
    }
    var text = status.getDescription() == null ? "" : status.getDescription();
    if (status.getCause() != null) {
      text += " (" + status.getCause().getMessage() + ")";
    }
    return new PalioException(status.getCode(), reason, field, text, metadata);
  }

  /** gRPC status code. */
  public Status.Code code() {
    return code;
  }

  /** For programs, for example UNAUTHENTICATED; empty where no Palio server spoke (a broken connection). */
  public String reason() {
    return reason;
  }

  /** Path of the field at fault; often empty. */
  public String field() {
    return field;
  }

  /** Further facts for programs. */
  public Map<String, String> metadata() {
    return metadata;
  }

  /** Whether the same may work later: the server drains or is full, or the connection broke. */
  public boolean isTransient() {
    return switch (code) {
      case UNAVAILABLE, RESOURCE_EXHAUSTED -> true;
      case INTERNAL, UNKNOWN, CANCELLED, DEADLINE_EXCEEDED, ABORTED -> reason.isEmpty();
      default -> false;
    };
  }
}
