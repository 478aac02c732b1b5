#include "connection.h"

#include <grpcpp/channel.h>

#include <utility>

namespace palio {

Connection::Connection(std::shared_ptr<grpc::Channel> channel, std::uint64_t number, v1::PlayRequest hello,
                       std::shared_ptr<Inbox> inbox)
    : stub_(v1::PlayService::NewStub(channel)), stream_(stub_->Play(&context_)) {
  // Hello waits for the connection, so it is said on the reader's thread: the inbox must go on being served.
  reader_ = std::thread([this, number, hello = std::move(hello), inbox = std::move(inbox)] {
    if (stream_->Write(hello)) {
      v1::PlayResponse response;
      while (stream_->Read(&response)) inbox->put(Received{number, std::exchange(response, {})});
    }
    inbox->put(Closed{number});
  });
}

Connection::~Connection() {
  if (!reader_.joinable()) return;
  context_.TryCancel();
  finish();
}

grpc::Status Connection::finish() {
  reader_.join();
  return stream_->Finish();
}

}  // namespace palio
