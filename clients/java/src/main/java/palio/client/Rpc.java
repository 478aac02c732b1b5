package palio.client;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;
import palio.v1.CatalogProto;
import palio.v1.GetGameRequest;
import palio.v1.GetGameResponse;
import palio.v1.PlayProto;
import palio.v1.PlayRequest;
import palio.v1.PlayResponse;

/** The two methods that a bot calls, as the protos describe them. */
final class Rpc {
  static final MethodDescriptor<PlayRequest, PlayResponse> PLAY =
      method(
          PlayProto.getDescriptor(),
          "PlayService",
          "Play",
          MethodType.BIDI_STREAMING,
          PlayRequest.getDefaultInstance(),
          PlayResponse.getDefaultInstance());

  static final MethodDescriptor<GetGameRequest, GetGameResponse> GET_GAME =
      method(
          CatalogProto.getDescriptor(),
          "CatalogService",
          "GetGame",
          MethodType.UNARY,
          GetGameRequest.getDefaultInstance(),
          GetGameResponse.getDefaultInstance());

  private Rpc() {}

  private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(
      FileDescriptor file, String service, String name, MethodType type, Q request, A response) {
    var described = file.findServiceByName(service).findMethodByName(name);
    return MethodDescriptor.<Q, A>newBuilder()
        .setType(type)
        .setFullMethodName(
            MethodDescriptor.generateFullMethodName(described.getService().getFullName(), described.getName()))
        .setRequestMarshaller(ProtoUtils.marshaller(request))
        .setResponseMarshaller(ProtoUtils.marshaller(response))
        .build();
  }
}
