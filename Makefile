# The build interface of agent. `make help` lists the targets.
#
#   make demo       from a fresh clone: build, sign in at a development issuer, use a token
#   make check      all tests; `make test` only the tests, without the checks of form
#   make unit MODULE=Vault FILTER='damaged byte'  the tests of one module, or those of a name, without the programs
#   make check-sanitize  all tests under the address and the thread sanitizer
#   make check-reproducible  whether two builds of the last commit give the same bytes
#   make check-crash  ROUNDS=N: kill the daemon so often, and let every call fail at every step
#   make stress     MINUTES=N, SEED=N: 1,000 accounts under load and faults for so long, and whether a session is lost;
#                   then thousands of events while others are under way
#   make check-mutations  SEED=N, COUNT=N: which small faults in the code the unit tests do not find
#   make fuzz       SECONDS=N: for so long look for bytes that break a reader
#   make bench      measure, side by side with C programs that do the least possible, and compare with the last report;
#                   ONLY='calls refresh': parts; LONG=1: ten idle minutes and make check, too; QUICK=1: whether all of it works
#   make figures    put the report of make bench into share/doc
#   make build      the release programs, in .build/release
#   make install    DESTDIR, PREFIX, NAME and DEBUGDIR may be set; `make uninstall` takes it away again
#   make generate   write share/po/help and the lists in man/ from the command table, and copy the completions
#   make docs       the documentation of the Swift library, in .build/docs/AgentClient.doccarchive
#   make messages   bring share/po/ up to date with the texts in the sources
#   make order      trace which functions and variables the client's most common commands use, for the linker to put them side by side
#   make picture    draw the README's picture of a sign-in
#   make deps       install what building needs; `make deps-check` what testing needs
#   make deb        the package of Debian and Ubuntu, in dist/; make check-deb tests it in Debian 12 and 13
#   make dist       a source and a binary archive of the last commit, with digests, in dist/
#   make release-check  walk the checklist for a release, in CONTRIBUTING.md
#   make clean      remove what was built

NAME       ?= agent
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBEXECDIR ?= $(PREFIX)/libexec
MANDIR     ?= $(PREFIX)/share/man
LOCALEDIR  ?= $(PREFIX)/share/locale
# Below a home systemd looks in share, and not in lib.
UNITDIR    ?= $(PREFIX)/$(if $(filter $(HOME)/%,$(PREFIX)),share,lib)/systemd/user
BASHDIR    ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR     ?= $(PREFIX)/share/zsh/site-functions
FISHDIR    ?= $(PREFIX)/share/fish/vendor_completions.d

# The toolchain of swift.org has lld. Where it is missing the release programs are linked with gold: see Package.swift.
AGENT_LINKER ?= $(if $(shell PATH="$$(dirname "$$(command -v $(SWIFT))" 2>/dev/null):$$PATH" command -v ld.lld),lld,gold)
export AGENT_LINKER

# Which commit the programs tell of.
AGENT_COMMIT ?= $(shell sh share/release/this-commit)
export AGENT_COMMIT

SWIFT       = swift
SWIFTFLAGS  = --disable-local-rpath --explicit-target-dependency-import-check error
# Two folders give the same bytes: no path of this one is in what is built, nor a name that the compiler's cache makes of it.
BUILDFLAGS  = $(SWIFTFLAGS) -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=." \
  -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections
RELEASE     = .build/release
VERSION     = $$(sed -n 's/.*static let version = "\(.*\)"$$/\1/p' Sources/Wire/Product.swift)

.PHONY: docs check-docs all help deps deps-check toolchain build test unit check check-static check-generated check-install check-style \
  check-conformance check-catalogues check-paths check-versions check-figures check-reproducible check-sanitize check-address check-thread check-crash check-mutations stress demo picture order bench figures fuzz \
  generate messages install uninstall version dist deb check-deb release-check clean

all: build

help:
	@sed -n 's/^#   //p' Makefile

toolchain:
	@sh share/setup/toolchain "$(SWIFT)"

deps: toolchain
	@sh share/setup/packages build

# The programs that ask helpers are put below .build/servers; a test of one that cannot be got is skipped by name.
deps-check: deps
	@sh share/setup/packages check
	@for clients in Clients EarlierClients MCP $$(command -v docker >/dev/null || echo Docker) \
	  $$(test -x /usr/sbin/nginx || echo Nginx) Tomcat; do \
	  sh Tests/Servers/install $$clients >/dev/null || echo "not all installed: Tests/Servers/$$clients" >&2; done

# What was built refers to its directory by absolute paths, and would fail with an error of the compiler.
build: toolchain
	@if [ -f .build/release.yaml ] && ! grep -qF '$(CURDIR)/' .build/release.yaml; then \
	  echo "agent: error: this directory was moved after it was built" >&2; \
	  echo "agent: hint: make clean && make" >&2; exit 1; fi
	$(SWIFT) build -c release $(BUILDFLAGS)
	@sh share/po/compile $(RELEASE)/locale

# Unit tests, and the black-box tests of the release programs. What failed is told once more at the end.
test: build
	@rm -f .build/tests*.xml .build/test-times
	AGENT_BINARIES="$(CURDIR)/$(RELEASE)" AGENT_TEST_TIMES="$(CURDIR)/.build/test-times" \
	  $(SWIFT) test --disable-xctest $(SWIFTFLAGS) --xunit-output .build/tests.xml \
	  || { python3 Tests/Checks/failures .build/tests*.xml; exit 1; }
	@python3 Tests/Checks/slowest .build/test-times

# Builds a debug package of this module's tests and what they use: see the end of Package.swift.
unit: toolchain
	@test -d "Tests/Unit/$(MODULE)" || { echo "name a module that has tests: make unit MODULE=Vault" >&2; exit 2; }
	AGENT_UNIT=$(MODULE) $(SWIFT) test --disable-xctest $(SWIFTFLAGS) --scratch-path .build/unit \
	  --filter '(?i)^$(MODULE)Tests\..*$(FILTER)'

check: deps-check build check-style check-docs check-conformance check-catalogues check-paths check-versions check-figures check-static \
  check-generated check-install test

# The client starts in half a millisecond because it loads nothing at run time.
check-static: build
	@sh Tests/Checks/static $(RELEASE)

# The lists in man/ are written from the command table, completions/ from Sources/CommandLine/Completion; both are committed.
check-generated: build
	@sh Tests/Checks/generated $(RELEASE)

check-install: build
	@sh Tests/Checks/install "$(MAKE)"

# Builds twice, so that it is not part of `make check`.
check-reproducible: deps
	@sh Tests/Checks/reproducible "$(MAKE)"

check-style: toolchain
	@sh Tests/Checks/style "$(SWIFT)"

# The tables of Tests/Conformance: each rule of a standard has its source and its test.
check-conformance:
	@python3 Tests/Checks/conformance

# The symbol graph of the library alone, in a package that has no more. DocC is part of the toolchain and needs no network.
DOCS        = .build/docs
DOCC        = $(shell PATH="$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")"):$$PATH" command -v docc)
$(DOCS)/graph: FORCE
	@mkdir -p $@
	@AGENT_UNIT=AgentClient $(SWIFT) build --target AgentClient --scratch-path $(DOCS)/build $(SWIFTFLAGS) \
	  -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$(CURDIR)/$(DOCS)/build" \
	  -Xswiftc -symbol-graph-minimum-access-level -Xswiftc public -Xswiftc -symbol-graph-skip-synthesized-members >/dev/null
	@cp $(DOCS)/build/AgentClient.symbols.json $@
FORCE:

docs: toolchain $(DOCS)/graph
	@test -n "$(DOCC)" || { echo "docs: this toolchain has no docc" >&2; exit 1; }
	@"$(DOCC)" convert Sources/AgentClient/AgentClient.docc --additional-symbol-graph-dir $(DOCS)/graph \
	  --fallback-display-name AgentClient --fallback-bundle-identifier AgentClient --warnings-as-errors \
	  --output-dir $(DOCS)/AgentClient.doccarchive
	@echo "docs: $(DOCS)/AgentClient.doccarchive/index.html"

# Every public declaration has a doc comment, every link leads somewhere, the first page lists every type, and every example compiles.
check-docs: $(if $(DOCC),docs,toolchain $(DOCS)/graph)
	@python3 Tests/Checks/documentation $(DOCS)/graph/AgentClient.symbols.json Sources/AgentClient/AgentClient.docc
	@python3 Tests/Checks/examples "$(SWIFT)" $(DOCS)/build/debug/Modules $(DOCS)/examples

# The documents name files that there are.
check-paths:
	@python3 Tests/Checks/paths

# The sources and both changelogs name one version.
check-versions:
	@sh share/release/versions

# The catalogues have every text of the sources, and no other form of it.
check-catalogues:
	@python3 Tests/Checks/catalogues

# Programs and tests, both under the sanitizer. There is none for undefined behaviour of Swift on Linux.
check-sanitize: check-address check-thread

check-address check-thread: check-%: deps-check
	$(SWIFT) build --sanitize=$* --scratch-path .build/$*
	AGENT_SANITIZER=$* AGENT_BINARIES="$(CURDIR)/.build/$*/debug" \
	  $(SWIFT) test --disable-xctest --sanitize=$* --scratch-path .build/$*

check-mutations: deps-check
	python3 Tests/Checks/mutations $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(MODULES)

# The tests do the same in short.
ROUNDS ?= 1000
check-crash: build deps-check
	AGENT_BINARIES="$(CURDIR)/$(RELEASE)" AGENT_KILL_ROUNDS=$(ROUNDS) AGENT_FAULTS=all \
	  $(SWIFT) test --disable-xctest $(SWIFTFLAGS) --filter 'is killed at any time|A fault at any step'

# Servers that hang, full memory, a full disk, no descriptors, clocks that are set, kills and bad answers.
MINUTES ?= 10
stress: build
	@python3 Tests/Checks/stress --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(RELEASE)
	AGENT_UNIT=Daemon AGENT_INTERLEAVINGS=$(or $(SEED),$(shell date +%s)) $(SWIFT) test --disable-xctest $(SWIFTFLAGS) \
	  --scratch-path .build/unit --filter 'when two more things happen'

# libFuzzer of the toolchain, with the readers of everything that others send; what it found is replayed by the tests.
SECONDS ?= 64
FUZZING = .build/fuzzing
fuzz: toolchain
	AGENT_FUZZ=1 $(SWIFT) build -c release --scratch-path $(FUZZING) --sanitize=fuzzer -Xswiftc -enable-testing --product fuzz
	@Tests/Tools/Fuzz/run $(FUZZING)/release/fuzz $(FUZZING)/work $(SECONDS) $(TARGETS)

generate: build
	$(RELEASE)/generate .

messages:
	@sh share/po/update

demo: toolchain
	@sh share/setup/packages demo
	@$(MAKE) --no-print-directory build
	@sh share/demo/run $(RELEASE)

# The README's picture, by the real programs.
picture: build
	@python3 share/picture/sign-in $(RELEASE)

# The next build links by it: the package manager does not look at what the linker reads.
order: build
	@share/link/order-symbols $(RELEASE) share/link/order
	@rm -f $(RELEASE)/agent $(RELEASE)/agentd $(RELEASE)/agent-lease $(RELEASE)/generate

# On a machine that does nothing else. Beside it is measured what is installed of valgrind, strace and oidc-agent-cli.
bench: deps-check build
	@Tests/Bench/run $(if $(LONG),--long) $(if $(QUICK),--quick) $(ONLY:%=--only %) $(RELEASE) .build/bench share/doc/figures.json

figures:
	@Tests/Bench/publish .build/bench/report.json

# The documents say what the last report says.
check-figures:
	@python3 Tests/Checks/figures

# Below DEBUGDIR (for gdb and lldb, /usr/lib/debug) is what the programs are stripped of; without it that is not kept.
DEBUGPLACE = $(if $(DEBUGDIR),"$(DESTDIR)$(DEBUGDIR)")

# The pages of commands: login for agent-login(1).
COMMANDS = $(patsubst man/agent-%.1,%,$(wildcard man/agent-*.1))
TOPICS = $(patsubst man/agent-%.7,%,$(wildcard man/agent-*.7))

# The clients that call a program by a name of its own, which is that of the program with the client's before it.
CLIENTS = git docker cargo

# systemd's user units, without the program's name.
UNITS = .socket .service -refresh.service -refresh.timer

# What is written for this installation.
GENERATED = .build/install

# With sudo the toolchain is often not on PATH, and root's files in .build would stop the next build: what was built is installed.
INSTALLED = $(if $(and $(SUDO_UID),$(wildcard $(RELEASE)/agentd)),,build)

install: $(INSTALLED)
	@case "$(NAME)" in '' | [!A-Za-z]* | *[!A-Za-z0-9_-]*) \
	  echo 'make: NAME is a letter, then letters, digits, "-" and "_"' >&2; exit 2 ;; esac
	rm -rf $(GENERATED) && mkdir -p $(GENERATED)
	ln -s "$(CURDIR)/$(RELEASE)/agent" "$(GENERATED)/$(NAME)"
	install -d -m 755 "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(LIBEXECDIR)" "$(DESTDIR)$(MANDIR)/man1" \
	  "$(DESTDIR)$(MANDIR)/man5" "$(DESTDIR)$(MANDIR)/man7" "$(DESTDIR)$(MANDIR)/man8" "$(DESTDIR)$(BASHDIR)" "$(DESTDIR)$(ZSHDIR)" \
	  "$(DESTDIR)$(FISHDIR)" "$(DESTDIR)$(UNITDIR)"
	@sh share/link/strip $(RELEASE)/agent "$(DESTDIR)$(BINDIR)/$(NAME)" $(DEBUGPLACE)
	for client in $(CLIENTS); do \
	  ln -sf "$(NAME)" "$(DESTDIR)$(BINDIR)/$$client-credential-$(NAME)" || exit 1; done
	@for program in agentd agent-lease; do \
	  sh share/link/strip $(RELEASE)/$$program "$(DESTDIR)$(LIBEXECDIR)/$$program" $(DEBUGPLACE) || exit 1; done
	for page in man/agent.1 man/agent-*; do \
	  install -m 644 $$page "$(DESTDIR)$(MANDIR)/man$${page#*.}/$(NAME)$${page#man/agent}" || exit 1; done
	install -m 644 man/agentd.8 "$(DESTDIR)$(MANDIR)/man8/"
	for file in "bash $(BASHDIR)/$(NAME)" "zsh $(ZSHDIR)/_$(NAME)" "fish $(FISHDIR)/$(NAME).fish"; do \
	  "$(GENERATED)/$(NAME)" completions "$${file%% *}" >$(GENERATED)/script && \
	  install -m 644 $(GENERATED)/script "$(DESTDIR)$${file#* }" || exit 1; done
	@sh share/po/compile "$(DESTDIR)$(LOCALEDIR)"
	for unit in $(UNITS); do \
	  sed -e 's|@BINDIR@|$(BINDIR)|g' -e 's|@LIBEXECDIR@|$(LIBEXECDIR)|g' -e 's|@NAME@|$(NAME)|g' \
	    share/systemd/user/agent$$unit >$(GENERATED)/unit && \
	  install -m 644 $(GENERATED)/unit "$(DESTDIR)$(UNITDIR)/$(NAME)$$unit" || exit 1; done
	@rm -rf $(GENERATED)

uninstall:
	@$(if $(DEBUGDIR),for program in "$(DESTDIR)$(BINDIR)/$(NAME)" "$(DESTDIR)$(LIBEXECDIR)/agentd" \
	  "$(DESTDIR)$(LIBEXECDIR)/agent-lease"; do \
	  sh share/link/strip --forget "$$program" $(DEBUGPLACE); done)
	rm -f "$(DESTDIR)$(LOCALEDIR)"/*/LC_MESSAGES/agent.mo
	rm -f $(CLIENTS:%="$(DESTDIR)$(BINDIR)/%-credential-$(NAME)")
	rm -f "$(DESTDIR)$(BINDIR)/$(NAME)" "$(DESTDIR)$(LIBEXECDIR)/agentd" "$(DESTDIR)$(LIBEXECDIR)/agent-lease" \
	  "$(DESTDIR)$(MANDIR)/man1/$(NAME).1" \
	  $(COMMANDS:%="$(DESTDIR)$(MANDIR)/man1/$(NAME)-%.1") \
	  "$(DESTDIR)$(MANDIR)/man5/$(NAME)-config.5" \
	  $(TOPICS:%="$(DESTDIR)$(MANDIR)/man7/$(NAME)-%.7") \
	  "$(DESTDIR)$(MANDIR)/man8/agentd.8" "$(DESTDIR)$(BASHDIR)/$(NAME)" \
	  "$(DESTDIR)$(ZSHDIR)/_$(NAME)" "$(DESTDIR)$(FISHDIR)/$(NAME).fish" \
	  $(UNITS:%="$(DESTDIR)$(UNITDIR)/$(NAME)%")

dist: build
	@sh share/release/archives "$(MAKE)" "$(VERSION)"

version:
	@echo "$(VERSION)"

deb: toolchain
	@sh share/setup/packages deb
	@sh share/release/deb

# Takes root, mmdebstrap and a mirror of Debian, so that it is not part of `make check`.
check-deb:
	@sh Tests/Checks/deb
	@$(MAKE) --no-print-directory deb build
	@sh Tests/Checks/deb $(RELEASE)

release-check:
	@share/release/check $(STEP)

clean:
	rm -rf .build dist
