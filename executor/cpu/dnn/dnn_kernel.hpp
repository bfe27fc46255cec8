// A kernel made of primitives of oneDNN, executed one after the other.
//
// An operand may lie otherwise than the primitive wants it (weights packed in blocks, images with
// their channels last): then a copy in the wanted form stands in the workspace, filled before or
// emptied after. Running only sets addresses and executes; oneDNN itself makes a few allocations of
// some bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "executor/cpu/dnn/dnn_engine.hpp"
#include "executor/cpu/kernel.hpp"

namespace stint {

// Where bytes are when a kernel runs.
struct DnnPlace {
  enum class Where { read, write, workspace };
  Where where = Where::workspace;
  std::int64_t at = 0;  // position in the list, or offset in bytes
};

inline DnnPlace read_place(std::int64_t at) { return {DnnPlace::Where::read, at}; }
inline DnnPlace write_place(std::int64_t at) { return {DnnPlace::Where::write, at}; }

struct DnnOperand {
  int name = 0;  // DNNL_ARG_…
  DnnPlace place;
  dnnl::memory::desc lies;
  dnnl::memory::desc wanted;
};

class DnnKernel : public CpuKernel {
 public:
  // With a reorder for every operand that does not lie as it is wanted.
  template <typename Description>
  void add(const Description& description, const std::vector<DnnOperand>& operands) {
    add(dnnl::primitive(description.get()), description.impl_info_str(),
        description.scratchpad_desc(), operands);
  }

  void run(const KernelArguments& arguments) override;
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  std::string algorithm() const override {
    return dnn_algorithm(implementations_.empty() ? "reorder" : implementations_);
  }
  std::string weight_order() const override { return weight_order_ ? weight_order_() : ""; }
  // Asked only by whoever measures kernels, so its text is looked up only then.
  void set_weight_order(std::function<std::string()> order) { weight_order_ = std::move(order); }

  // From one order in memory to another, as a step of its own.
  void add_reorder(const dnnl::memory::desc& from_form, DnnPlace from,
                   const dnnl::memory::desc& to_form, DnnPlace to);

 private:
  struct Bound {
    dnnl::memory memory;
    DnnPlace place;
  };
  struct Step {
    dnnl::primitive primitive;
    std::vector<Bound> bound;
    std::vector<dnnl_exec_arg_t> arguments;
  };

  void add(const dnnl::primitive& primitive, const std::string& implementation,
           const dnnl::memory::desc& scratchpad, const std::vector<DnnOperand>& operands);
  void add_step(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
                const std::vector<DnnOperand>& operands);
  DnnPlace take_workspace(const dnnl::memory::desc& form);

  dnnl::stream stream_{dnn_engine()};
  std::vector<Step> steps_;
  std::string implementations_;
  std::function<std::string()> weight_order_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace stint
