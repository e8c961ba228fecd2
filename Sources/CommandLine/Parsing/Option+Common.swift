internal import Wire

enum Options {
  /// Accepted before or after the command's name.
  static let common: [OptionDeclaration] = [
    Option.account.declaration, Option.timeout.declaration, Option.noDaemon.declaration, Option.noInput.declaration,
    Option.quiet.declaration, Option.verbose.declaration, Option.json.declaration,
    Option.help.declaration, Option.version.declaration,
  ]

  static func grouped(_ options: [OptionDeclaration]) -> [(group: OptionGroup, options: [OptionDeclaration])] {
    OptionGroup.allCases.compactMap { group in
      let members = options.filter { $0.group == group }
      return members.isEmpty ? nil : (group, members)
    }
  }

  static var lease: [OptionDeclaration] {
    [
      Option.leaseOrigins.declaration, Option.methods.declaration, Option.allowedHeaders.declaration,
      Option.leaseTime.declaration,
      Option.leaseUses.declaration, Option.handOutToken.declaration, Option.confirm.declaration,
      Option.askProgram.declaration, Option.users.declaration, Option.noJail.declaration,
    ] + tokenTarget
  }

  /// For a token other than the account's own.
  static var tokenTarget: [OptionDeclaration] {
    [
      Option.scope.withSummary("Ask for a token with these scopes only; may be given several times"),
      Option.resource.withSummary("Ask for a token for this resource (RFC 8707); may be given several times"),
      Option.audience.withSummary("Ask for a token with this audience"),
      Option.authorizationDetails.withSummary(
        "Ask for a token with this authorization only (RFC 9396); `@FILE` reads it from a file"),
      Option.exchange.declaration,
    ]
  }
}

extension Option<String?> {
  static var account: Self {
    Self(
      "account", in: .common, short: "a", .account,
      "Act on this account instead of the active one; `AGENT_ACCOUNT` does the same")
  }
}

extension Option<String?> {
  static var directory: Self {
    Self("directory", in: .service, .file("DIRECTORY"), "Choose the account for that directory; and those below it")
  }
}

/// Durations in seconds.
extension Option<Int?> {
  static var timeout: Self {
    Self("timeout", in: .common, time: .duration(1...WireProtocol.maximumTimeoutSeconds), "Give up after this time")
  }
}

extension Option<Bool> {
  static var here: Self {
    Self("here", in: .service, "Choose the account for this directory; and those below it")
  }
  static var clear: Self { Self("clear", in: .service, "Reset the directory's account") }
  static var noDaemon: Self {
    Self(
      "no-daemon", in: .common,
      "Use a private `agentd` that ends with this command, as containers and build jobs need it")
  }
  static var noInput: Self {
    Self(
      "no-input", in: .common,
      "Never read from the terminal; what would need a sign-in fails at once with exit status 3, and `login` waits for"
        + " the approval up to `--timeout`")
  }
  /// Signs in first, if needed.
  static var ask: Self {
    Self("ask", in: .signIn, "Sign in or unlock on the terminal first, if needed")
  }
  static var quiet: Self { Self("quiet", in: .common, short: "q", "Print errors and answers only") }
  static var verbose: Self {
    Self(
      "verbose", in: .common, short: "v",
      "Print each step with its reason and duration to standard error; never a secret")
  }
  static var json: Self {
    Self("json", in: .common, short: "j", "Print the answer, and any error, as JSON objects, one a line")
  }
  static var help: Self { Self("help", in: .common, short: "h", "Print this help") }
  /// `--all` with `--help`.
  static var everything: Self { Self("all", in: .output, "Print every option") }
  static var version: Self { Self("version", in: .common, short: "V", "Print the version") }
}
