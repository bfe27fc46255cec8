# Shortcuts for newcomers. Each does all of its own set-up; a second run with nothing changed starts
# at once. Everything else is plain CMake: see CMakePresets.json and CONTRIBUTING.md.
.PHONY: help demo test debug bench fuzz format gpu-check clean install install-bench install-fuzz install-format
.DEFAULT_GOAL := help

FUZZ_SECONDS ?= 60
jobs := $(shell nproc)

help:
	@echo 'make demo     install what is missing, build, plan a training for this machine, check, show and run it'
	@echo 'make test     install what is missing, build, run every test'
	@echo 'make debug    the same tests under the address and undefined-behaviour sanitizers'
	@echo 'make bench    build and run the benchmarks'
	@echo 'make fuzz     fuzz every reader and the validator, FUZZ_SECONDS=$(FUZZ_SECONDS) each (needs clang)'
	@echo 'make format   lay the code out'
	@echo 'make gpu-check   where there is a GPU of NVIDIA: train on it, and compare with the CPU'
	@echo 'make clean    remove the build folders'

build = cmake --build --preset $(1) --

demo: install build/build.ninja
	@$(call build,release) calibrate plan run show
	@.ci/demo build

test: install build/build.ninja
	@$(call build,release)
	@ctest --preset release --parallel $(jobs)

debug: install build-debug/build.ninja
	@$(call build,debug)
	@ctest --preset debug --parallel $(jobs)

# Configured anew: what is compared with may have been installed only now.
bench: install-bench build/build.ninja
	@cmake --preset release
	@$(call build,release) benchmarks
	@build/benchmarks/schedules_scale
	@build/benchmarks/chains/chain_solvers
	@if [ -x build/benchmarks/graphs/against_checkmate ]; then build/benchmarks/graphs/against_checkmate; fi
	@if [ -x build/benchmarks/energy/predictions ]; then build/benchmarks/energy/predictions; fi
	@if [ -x build/benchmarks/overhead/overhead ]; then build/benchmarks/overhead/overhead; fi
	@if [ -x build/benchmarks/starpu/train_with ]; then benchmarks/starpu/compare.py build --runs 3; fi

fuzz: install-fuzz build-fuzz/build.ninja
	@$(call build,fuzz)
	@.ci/fuzz build-fuzz $(FUZZ_SECONDS)

format: install-format
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

# Refused where the build finds no CUDA.
gpu-check: install build/build.ninja
	@cmake --preset release -DSTINT_CUDA=ON
	@$(call build,release) calibrate plan run stint_cuda gpu_kernels_tests
	@.ci/gpu-check build

clean:
	@rm -rf build build-debug build-tsan build-fuzz

install:
	@.ci/install build test
install-bench:
	@.ci/install build test bench
install-fuzz:
	@.ci/install build test fuzz
install-format:
	@.ci/install format

# Once; afterwards Ninja itself configures again when a CMake file changes.
build/build.ninja: preset = release
build-debug/build.ninja: preset = debug
build-fuzz/build.ninja: preset = fuzz
build/build.ninja build-debug/build.ninja: | install
build-fuzz/build.ninja: | install-fuzz
build/build.ninja build-debug/build.ninja build-fuzz/build.ninja: CMakePresets.json
	@cmake --preset $(preset) $(if $(wildcard $@),,--fresh)
	@touch $@
