// One stream to the server.
#pragma once

#include <grpcpp/client_context.h>

#include <cstdint>
#include <memory>
#include <thread>

#include "inbox.h"
#include "palio/v1/play.grpc.pb.h"

namespace palio {

// An open stream. Its own thread reads and puts what comes into the inbox; one other thread may write.
class Connection {
 public:
  // Opens a stream and says Hello, without waiting for either.
  Connection(std::shared_ptr<grpc::Channel> channel, std::uint64_t number, v1::PlayRequest hello,
             std::shared_ptr<Inbox> inbox);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // To be called after the server's Welcome only. A broken stream shows by Closed in the inbox.
  void write(const v1::PlayRequest& request) { stream_->Write(request); }
  // After Closed: how the stream ended.
  grpc::Status finish();

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::PlayService::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::PlayRequest, v1::PlayResponse>> stream_;
  std::thread reader_;
};

}  // namespace palio
