# The build interface of agent. `make help` lists the targets.
#
#   make demo     from a fresh clone: build, sign in at a development issuer, use a token
#   make check    all tests
#   make install  DESTDIR, PREFIX and NAME may be set

NAME       ?= agent
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBEXECDIR ?= $(PREFIX)/libexec
MANDIR     ?= $(PREFIX)/share/man
UNITDIR    ?= $(PREFIX)/lib/systemd/user
BASHDIR    ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR     ?= $(PREFIX)/share/zsh/site-functions
FISHDIR    ?= $(PREFIX)/share/fish/vendor_completions.d

SWIFT       = swift
SWIFTFLAGS  = --disable-local-rpath --explicit-target-dependency-import-check error
RELEASE     = .build/release
VERSION     = $$(sed -n 's/.*static let version = "\(.*\)"$$/\1/p' Sources/Wire/Product.swift)

.PHONY: all help deps deps-check toolchain build test check check-static check-generated check-style demo picture bench \
  generate install uninstall dist clean

all: build

help:
	@sed -n 's/^#   //p' Makefile

toolchain:
	@sh share/setup/toolchain "$(SWIFT)"

deps: toolchain
	@sh share/setup/packages build

deps-check: deps
	@sh share/setup/packages check

build: toolchain
	$(SWIFT) build -c release $(SWIFTFLAGS)

# Unit tests, and the black-box tests of the release programs.
test: build
	AGENT_BINARIES="$(CURDIR)/$(RELEASE)" $(SWIFT) test --disable-xctest $(SWIFTFLAGS)

check: deps-check build check-style check-static check-generated test

# The client starts in half a millisecond because it loads nothing at run time.
check-static: build
	@sh Tests/Checks/static $(RELEASE)

# man/ and completions/ are written from the command table and committed.
check-generated: build
	@sh Tests/Checks/generated $(RELEASE)

check-style: toolchain
	@sh Tests/Checks/style "$(SWIFT)"

generate: build
	$(RELEASE)/generate .

demo: toolchain
	@sh share/setup/packages demo
	@$(MAKE) --no-print-directory build
	@sh share/demo/run $(RELEASE)

# The README's picture of a sign-in, by the real programs.
picture: build
	@python3 share/picture/sign-in $(RELEASE)

bench: deps-check build
	@bash Tests/Bench/run $(RELEASE)

install: build
	install -d -m 755 "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(LIBEXECDIR)" "$(DESTDIR)$(MANDIR)/man1" "$(DESTDIR)$(UNITDIR)"
	install -m 755 $(RELEASE)/agent "$(DESTDIR)$(BINDIR)/$(NAME)"
	install -m 755 $(RELEASE)/agentd "$(DESTDIR)$(LIBEXECDIR)/agentd"
	sed 's/@NAME@/$(NAME)/g' man/agent.1 > .build/install.man
	install -m 644 .build/install.man "$(DESTDIR)$(MANDIR)/man1/$(NAME).1"
	for unit in socket service; do \
	  sed -e 's|@LIBEXECDIR@|$(LIBEXECDIR)|g' share/systemd/user/agent.$$unit > .build/install.unit && \
	  install -m 644 .build/install.unit "$(DESTDIR)$(UNITDIR)/agent.$$unit" || exit 1; done

uninstall:
	rm -f "$(DESTDIR)$(BINDIR)/$(NAME)" "$(DESTDIR)$(LIBEXECDIR)/agentd" "$(DESTDIR)$(MANDIR)/man1/$(NAME).1" \
	  "$(DESTDIR)$(UNITDIR)/agent.socket" "$(DESTDIR)$(UNITDIR)/agent.service"

dist:
	mkdir -p dist
	git archive --format=tar.gz --prefix=agent-$(VERSION)/ -o dist/agent-$(VERSION).tar.gz HEAD

clean:
	rm -rf .build dist
