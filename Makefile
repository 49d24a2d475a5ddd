# SPDX-License-Identifier: GPL-2.0-or-later
# dwell: `make` builds ./dwell, `make try` shows it, `make check` tests it. See `make help`.

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= gcc
CLANG ?= clang
BPFTOOL ?= $(shell PATH="$$PATH:/usr/sbin:/sbin" command -v bpftool || echo bpftool)

# Variants build in folders of their own: plain, SAN=1, COV=1. STATIC=1 only links otherwise.
OUT := build/$(if $(SAN),san,$(if $(COV),cov,plain))
PROGRAM := $(if $(STATIC),build/static,$(OUT))/dwell
GEN := build/gen

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wwrite-strings -Wpointer-arith
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE -DDWELL_VERSION='"$(VERSION)"' -I. -Isrc -I$(GEN) \
	-MMD -MP -fno-omit-frame-pointer $(WARNINGS) $(if $(WERROR),-Werror) $(CPPFLAGS) $(CFLAGS)
LIBS := -lbpf -lelf -lz -lzstd -llzma -liberty -lsqlite3 -lm -pthread
ifdef SAN
CFLAGS := -O1 -g
ALL_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=undefined
LDFLAGS += -fsanitize=address,undefined
endif
ifdef COV
ALL_CFLAGS += --coverage -fprofile-update=atomic
LDFLAGS += --coverage
endif

# One short line for each file; V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

BPF_ARCH := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -I. -Ibpf -Wall -Werror -MMD -MP \
	-ffile-prefix-map=$(CURDIR)=.

SOURCES := $(sort $(wildcard src/*/*.c src/*/*/*.c))
ASSETS := $(addprefix $(OUT)/src/,render/flame/svg_assets.o render/page/page_assets.o recording/schema_sql.o \
	kernel/programs_by_calls.o host/preload_image.o)
OBJECTS := $(SOURCES:%.c=$(OUT)/%.o) $(ASSETS)
LIBRARY := $(OUT)/libdwell.a
UNIT_TESTS := $(patsubst tests/unit/%.c,$(OUT)/tests/unit/%,$(wildcard tests/unit/test_*.c))
# Those in C++ and Go are left out where there is no compiler for them.
WORKLOADS := $(patsubst tests/workloads/%.c,build/workloads/%,$(wildcard tests/workloads/*.c)) \
	$(if $(shell command -v $(CXX)),$(patsubst tests/workloads/%.cc,build/workloads/%,$(wildcard tests/workloads/*.cc))) \
	$(if $(shell command -v go),$(patsubst tests/workloads/%.go,build/workloads/%,$(wildcard tests/workloads/*.go)))

.PHONY: all
all: $(PROGRAM)
ifeq ($(SAN)$(COV),)
	@cmp -s $(PROGRAM) dwell || { rm -f dwell; cp $(PROGRAM) dwell; }
endif

# Objects of tests are kept: the next `make check` shall not compile them again.
.SECONDARY:

.PHONY: help
help:
	@sed -n 's/^##: //p' Makefile

##: make              build ./dwell (no root needed)
##: make try          install what is missing, build, record a small demo, show the report
##: make check        install what is missing, build, run the light set of all tests
##: make check-heavy  the long and the big tests
##: make check-kernels  the tests that depend on the kernel on Debian's 6.1 and 6.12 kernels, emulated
##: make bench        overhead against libbpf-tools' offcputime, speed of import as ratios, speed of the page
##: make fuzz         each fuzzer for FUZZ_TIME (60) seconds
##: make coverage     line coverage of src/ by unit tests and cases: total and the least covered files
##: make lint         clang-tidy with the checks of .clang-tidy
##: make install      into PREFIX (default /usr/local), below DESTDIR
##: make deb          a Debian package, into build/deb
##: make rpm          an RPM package, into build/rpm
##: make release      sources, static binary and checksums of the commit, into build/release
##: make STATIC=1     one static binary as ./dwell
##: make SAN=1        with ASan and UBSan, as build/san/dwell
##: make format       clang-format all sources
##: make clean

# The programs twice: with loads of the kernel's words, and with calls for kernels before 6.2 (bpf/load.bpf.h).
# Both have one skeleton, so all but the code must be the same.
$(GEN)/dwell.bpf.o: HAS_LOADS := 1
$(GEN)/dwell-calls.bpf.o: HAS_LOADS := 0
$(GEN)/dwell.bpf.o $(GEN)/dwell-calls.bpf.o: bpf/dwell.bpf.c Makefile | $(GEN)
	$(call say,BPF,$@)
	$(Q)$(CLANG) $(BPF_CFLAGS) -DHAS_LOADS=$(HAS_LOADS) -MT $@ -c $< -o $@.tmp
	$(Q)$(BPFTOOL) gen object $@ $@.tmp

SKELETON_OF = $(BPFTOOL) gen skeleton $(1) name dwell
WITHOUT_CODE := sed '/elf_bytes(size_t \*sz)$$/,$$d'
$(GEN)/dwell.skel.h: $(GEN)/dwell.bpf.o $(GEN)/dwell-calls.bpf.o
	$(Q)$(call SKELETON_OF,$<) > $@.tmp
	$(Q)$(WITHOUT_CODE) $@.tmp > $@.one
	$(Q)$(call SKELETON_OF,$(GEN)/dwell-calls.bpf.o) | $(WITHOUT_CODE) | cmp - $@.one
	$(Q)mv $@.tmp $@

# The library that is loaded into COMMANDs whose allocations are sampled, the same bytes in any folder. It is
# initialised before all others (preload/start.c), and what it calls is found before anybody waits for it.
PRELOAD := $(GEN)/alloc_preload.so
PRELOAD_SOURCES := $(sort $(wildcard preload/*.c preload/*.S))
PRELOAD_CFLAGS := -std=gnu17 -D_GNU_SOURCE -I. -O2 -fPIC -fexceptions -fno-builtin \
	-fvisibility=hidden -ftls-model=initial-exec -ffile-prefix-map=$(CURDIR)=.
PRELOAD_LDFLAGS := -shared -Wl,-soname,libdwell_alloc.so -Wl,-z,initfirst,-z,now,-z,nodelete,-z,defs \
	-Wl,--build-id=none -Wl,--hash-style=gnu

$(PRELOAD): $(PRELOAD_SOURCES) $(wildcard preload/*.h) Makefile | $(GEN)
	$(call say,SO,$@)
	$(Q)$(CC) $(PRELOAD_CFLAGS) $(WARNINGS) $(if $(WERROR),-Werror) $(PRELOAD_LDFLAGS) $(PRELOAD_SOURCES) -o $@

$(GEN):
	@mkdir -p $@

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

# The files of web/ and the schema are part of the program; the page's modules are put together first.
$(OUT)/src/render/flame/svg_assets.o: web/flame.js web/flame.css
$(OUT)/src/render/page/page_assets.o: $(GEN)/page.js
$(OUT)/src/recording/schema_sql.o: src/recording/schema.sql
$(OUT)/src/kernel/programs_by_calls.o: $(GEN)/dwell-calls.bpf.o
$(OUT)/src/host/preload_image.o: $(PRELOAD)
$(ASSETS): $(OUT)/%.o: %.S Makefile
	@mkdir -p $(@D)
	$(call say,ASSET,$@)
	$(Q)$(CC) -c $< -o $@

$(GEN)/page.js: $(wildcard web/page/*.js web/page/*.css) tools/bundle-page | $(GEN)
	$(call say,JS,$@)
	$(Q)tools/bundle-page web/page $(GEN)

$(OUT)/src/kernel/%.o: ALL_CFLAGS += -isystem $(GEN)
$(filter $(OUT)/src/kernel/%,$(OBJECTS)): $(GEN)/dwell.skel.h

# Names of system calls, as the headers of the machine have them; numbers are in their macros.
$(GEN)/syscall_names.h: Makefile | $(GEN)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) $(CPPFLAGS) -E -dM - | LC_ALL=C sort | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/SYSCALL(\1)/p' | \
		grep -v '(syscalls)\|(arch_specific_syscall)' > $@.tmp
	$(Q)mv $@.tmp $@
$(OUT)/src/host/syscalls.o: $(GEN)/syscall_names.h

# What `dwell --version` says changes with each commit, so it is part of the program only.
.PHONY: revision
revision: | $(GEN)
	@tools/revision $(GEN)/revision.h
$(GEN)/revision.h: revision ;
$(OUT)/src/check/built.o: $(GEN)/revision.h

PROGRAM_OBJECTS := $(OUT)/src/cli/main.o $(OUT)/src/check/built.o
$(LIBRARY): $(filter-out $(PROGRAM_OBJECTS),$(OBJECTS))
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(PROGRAM): $(PROGRAM_OBJECTS) $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(if $(STATIC),-static) $^ $(LIBS) -o $@

$(OUT)/tests/unit/%: $(OUT)/tests/unit/%.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(LIBS) -lcmocka -o $@

# Compilers know what malloc() does, and this test has one of its own.
$(OUT)/tests/unit/test_preload_malloc.o: ALL_CFLAGS += -fno-builtin

build/workloads/%: tests/workloads/%.c $(wildcard tests/workloads/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) -std=gnu17 -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -Wall -Wextra $< -o $@ -pthread -lm

build/workloads/%: tests/workloads/%.cc
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -O2 -g -Wall -Wextra $< -o $@

build/workloads/%: tests/workloads/%.go
	@mkdir -p $(@D)
	$(call say,GO,$@)
	$(Q)GOCACHE=$(CURDIR)/build/go GO111MODULE=off go build -o $@ $<

# Programs with which cases look into the library.
TEST_TOOLS := $(patsubst tests/cfi/%.c,$(OUT)/tests/cfi/%,$(wildcard tests/cfi/*.c))

$(OUT)/tests/cfi/%: $(OUT)/tests/cfi/%.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

.PHONY: unit-tests workloads
unit-tests: $(UNIT_TESTS) $(TEST_TOOLS)
workloads: $(WORKLOADS)

.PHONY: deps
deps:
	@tools/install-deps

.PHONY: try
try: deps
	$(MAKE) --no-print-directory all workloads
	@tools/try

# The last line of `make check` counts everything; in CI that includes the emulated kernels.
KERNELS ?= $(filter true,$(CI))

.PHONY: check check-heavy check-kernels
check: deps
	$(MAKE) --no-print-directory WERROR=1 all unit-tests workloads
	$(MAKE) --no-print-directory WERROR=1 SAN=1 all unit-tests
	$(if $(KERNELS),$(MAKE) --no-print-directory WERROR=1 STATIC=1 build/static/dwell)
	tests/run $(if $(KERNELS),--kernels)

check-kernels: deps
	$(MAKE) --no-print-directory WERROR=1 workloads
	$(MAKE) --no-print-directory WERROR=1 STATIC=1 build/static/dwell
	tests/run --kernels only

check-heavy: deps
	$(MAKE) --no-print-directory WERROR=1 all unit-tests workloads
	$(MAKE) --no-print-directory WERROR=1 STATIC=1 build/static/dwell
	tests/run --heavy --kernels

# Each fuzzer for FUZZ_TIME seconds, from the corpus in the tree; what it finds stays in build/fuzz.
# An empty vector is NULL + 0, which clang calls an overflow.
FUZZ_TIME ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZED := $(wildcard src/util/*.c src/model/*.c src/replay/*.c src/elf/*.c src/elf/cfi/*.c) src/recording/chain.c \
	src/symbol/demangle.c src/host/proc_text.c src/host/tracepoint.c src/host/tracepoint_format.c \
	$(filter-out src/format/import%.c src/format/stack_writer.c src/format/folded.c, \
	$(wildcard src/format/*.c))

FUZZ_OBJECTS := $(FUZZED:%.c=build/fuzz/%.o)
FUZZ_CFLAGS := -std=gnu17 -D_GNU_SOURCE -I. -Isrc -O1 -g -MMD -MP $(WARNINGS) -Wno-pointer-arith \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow \
	-fno-sanitize-recover=undefined

build/fuzz/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -c $< -o $@

$(FUZZERS): build/fuzz/%: build/fuzz/tests/fuzz/%.o $(FUZZ_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined $^ -lelf -lz -lzstd -llzma -liberty -lm -o $@

.PHONY: fuzz $(FUZZERS:%=%.run)
fuzz: $(FUZZERS:%=%.run)
$(FUZZERS:%=%.run): %.run: %
	@seeds=tests/data/$(*F:fuzz_%=%); \
	[ -d $$seeds ] || seeds=tests/data/stacks; \
	mkdir -p $*.corpus && \
	$* -max_total_time=$(FUZZ_TIME) -max_len=65536 -timeout=20 -rss_limit_mb=1024 \
		-artifact_prefix=build/fuzz/ -print_final_stats=1 $*.corpus \
		$$seeds > $*.log 2>&1 || { tail -40 $*.log; exit 1; }; \
	echo "$*: $$(grep number_of_executed $*.log)"

build/plain/tests/bench/%: tests/bench/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $< $(LIBRARY) $(LIBS) -o $@

.PHONY: bench
bench: all build/workloads/alloc_loop build/workloads/event_loop build/workloads/many_functions $(patsubst %.c,build/plain/%,$(wildcard tests/bench/*.c))
	bench/overhead
	bench/alloc
	bench/events
	bench/calls
	bench/start
	bench/budget
	bench/growth
	bench/end
	bench/import
	bench/page

# Line coverage of src/ by unit tests and end-to-end cases (root, through sudo if need be).
.PHONY: coverage
coverage: deps
	$(MAKE) --no-print-directory WERROR=1 workloads
	$(MAKE) --no-print-directory COV=1 build/cov/dwell unit-tests
	@tools/coverage

SHARE = $(DESTDIR)$(PREFIX)/share
# Where zsh looks; Debian's has another folder for packages.
ZSH_FUNCTIONS ?= zsh/site-functions

.PHONY: install
install: all
	install -D -m 755 dwell $(DESTDIR)$(PREFIX)/bin/dwell
	for page in man/*.[1-8]; do \
		install -D -m 644 $$page $(SHARE)/man/man$${page##*.}/$${page##*/} || exit; \
	done
	for shell in bash zsh fish; do ./dwell completion $$shell > build/completion.$$shell || exit; done
	install -D -m 644 build/completion.bash $(SHARE)/bash-completion/completions/dwell
	install -D -m 644 build/completion.zsh $(SHARE)/$(ZSH_FUNCTIONS)/_dwell
	install -D -m 644 build/completion.fish $(SHARE)/fish/vendor_completions.d/dwell.fish

# packaging/README.md says what is in them and what has to be installed.
DEB_OUT ?= build/deb
.PHONY: deb
deb:
	@packaging/make-deb $(DEB_OUT)

RPM_OPTIONS ?=
.PHONY: rpm
rpm:
	@packaging/make-rpm build/rpm $(RPM_OPTIONS)

RELEASE_OUT ?= build/release
.PHONY: release
release:
	@tools/release $(RELEASE_OUT)

# clang-tidy with the checks of .clang-tidy; DEEP=1 runs the analyzer instead: minutes, and not all
# that it says is true.
LINT_OUT := build/lint/$(if $(DEEP),deep,usual)
LINT_DEEP := -*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
LINTED := $(patsubst %.c,$(LINT_OUT)/%.ok,$(SOURCES) $(wildcard preload/*.c))

$(LINTED): $(LINT_OUT)/%.ok: %.c .clang-tidy | $(GEN)/dwell.skel.h $(GEN)/revision.h $(GEN)/syscall_names.h
	@mkdir -p $(@D)
	$(call say,LINT,$<)
	$(Q)clang-tidy -quiet $(if $(DEEP),--checks='$(LINT_DEEP)') $< -- -std=gnu17 \
		-D_GNU_SOURCE -DDWELL_VERSION='"$(VERSION)"' -I. -Isrc -isystem $(GEN) 2> $@.err || \
		{ cat $@.err; exit 1; }
	@mv $@.err $@

.PHONY: lint
lint: $(LINTED)

.PHONY: format
format:
	clang-format -i $$(git ls-files '*.c' '*.h')

.PHONY: clean
clean:
	rm -rf build dwell

-include $(OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d) $(UNIT_TESTS:=.d) $(TEST_TOOLS:=.d) $(GEN)/dwell.bpf.o.d $(GEN)/dwell-calls.bpf.o.d
