// Images in the order in memory that a layer wants: as they are, or through a reorder, once for all
// readers.
#pragma once

#include <map>

#include "models/training/kinds.hpp"

namespace stint {

class ImageOrders {
 public:
  ImageOrders(bool channels_last, TrainingBuilder& builder)
      : channels_last_(channels_last), builder_(builder) {}

  // The values to read instead, and the reorders that make them, to be applied in this order.
  std::vector<ValueId> arrange(const LayerKind& kind, const std::vector<ValueId>& inputs,
                               std::vector<AppliedLayer>& reorders);

  // Whether the layer wants its images with channels last; what it makes of them is then too.
  bool wants_channels_last(const LayerKind& kind, const std::vector<ValueId>& inputs) const;

 private:
  ValueId in_order(ValueId image, bool channels_last, std::vector<AppliedLayer>& reorders);

  bool channels_last_;
  TrainingBuilder& builder_;
  std::map<ValueId, ValueId> reordered_;
};

}  // namespace stint
