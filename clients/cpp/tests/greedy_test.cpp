// The same decisions as the greedy bots of all other languages: tests/vectors of the repository.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "greedy_brain.h"

namespace {

template <typename Message>
Message read(const std::string& name) {
  std::ifstream file(std::string(PALIO_VECTORS "/") + name, std::ios::binary);
  Message message;
  EXPECT_TRUE(file && message.ParseFromIstream(&file)) << name;
  return message;
}

TEST(Greedy, AllDecisionsAreThoseOfTheSpecification) {
  const auto catalogue = read<palio::v1::GetGameResponse>("catalogue.binpb");
  const auto vectors = read<palio::v1::PlayResponse>("greedy.binpb");
  Brain brain({});
  std::map<std::string, int> compared;
  for (const auto& update : vectors.updates()) {
    if (update.has_match_started()) {
      brain = Brain(palio::missio::cards(update.match_started(), catalogue));
      continue;
    }
    const auto& decision = update.decision();
    EXPECT_EQ(brain.choose(decision.observation().fidelitas(), decision.options()), decision.answered())
        << update.match_id() << " " << decision.decision_id() << " " << decision.kind();
    ++compared[decision.kind()];
  }
  EXPECT_GE(compared.size(), 11u) << "too few kinds of decisions";
}

TEST(Greedy, NothingSeenIsNoReasonToFail) {
  Brain::Options options;
  options.Add();
  options.Add();
  EXPECT_EQ(Brain({}).choose({}, options), 0);
}

}  // namespace
