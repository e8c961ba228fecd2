internal import Wire

/// Durations in seconds.
extension Option<Int?> {
  static var minValid: Self {
    Self(
      "min-valid", in: .renewal, time: .duration(0...86_400),
      "Minimum time left for the token (default: 1m); less if its whole lifetime is below 10m")
  }
  static var wait: Self {
    Self(
      "wait", in: .network, time: .duration(1...WireProtocol.maximumTimeoutSeconds),
      "Wait this long if the server cannot be reached; in addition to `--timeout`")
  }
  static var idle: Self {
    Self(
      "idle", in: .network, time: .durationOrNever(1...CallRequest.maximumIdleSeconds),
      "Limit the time without progress once the response has begun; `never` for a stream of events")
  }
  static var leaseTime: Self {
    Self("for", in: .lease, time: .duration(1...LeaseRequest.maximumSeconds), "End the lease after this time")
  }
  static var clockSkew: Self {
    Self(
      "clock-skew", in: .rules, time: .duration(0...VerifyRequest.maximumClockSkew),
      "How far clocks may differ (default: 1m)")
  }
}

extension Option<String?> {
  static var method: Self {
    Self("method", in: .message, short: "X", .text("METHOD"), "The method of the request (default: `GET`)")
  }
}

extension Option<Bool> {
  static var forceRefresh: Self {
    Self("force-refresh", in: .renewal, "Get a new token even if the cached one is valid")
  }
  static var header: Self { Self("header", in: .output, "Print a whole `Authorization` header line") }
  static var idToken: Self { Self("id-token", in: .output, "Take the ID Token instead of the access token") }
  static var unset: Self { Self("unset", in: .variables, "Print statements that unset the variables") }
  static var tokenFile: Self {
    Self("token-file", in: .renewal, "Put the token into a file that is kept fresh; while the command runs")
  }
  static var lease: Self {
    Self("lease", in: .lease, "Let the command make requests without giving it a token")
  }
  static var handOutToken: Self {
    Self("hand-out-token", in: .lease, "Also hand out the token of `--scope`, if the server limits it to that scope")
  }
  static var noJail: Self {
    Self("no-jail", in: .lease, "Serve the lease even if the kernel cannot filter system calls (seccomp)")
  }
  static var confirm: Self { Self("confirm", in: .lease, "Ask before the first request to each origin") }
  static var exchange: Self { Self("exchange", in: .access, "Exchange the account's own token for it (RFC 8693)") }
  static var check: Self { Self("check", in: .output, "Ask the servers whether the sessions are still valid") }
  static var utc: Self { Self("utc", in: .output, "Show times in UTC instead of local time") }
  static var follow: Self { Self("follow", in: .output, short: "f", "Show new events until interrupted") }
  static var include: Self {
    Self(
      "include", in: .output, short: "i", "Also write the status and the headers; before the body, with an empty line")
  }
  static var raw: Self {
    Self("raw", in: .output, "Also write the control characters of the body to a terminal")
  }
  static var allowMissing: Self {
    Self("allow-missing", in: .rules, "Accept a token without an expiry time (`exp`)")
  }
  static var signatureOnly: Self {
    Self("signature-only", in: .rules, "Check only the signature; the payload need not be a set of claims")
  }
}

extension Option<TokenProfile?> {
  static var profile: Self {
    Self(
      "profile", in: .rules, "PROFILE", TokenProfile.self,
      "Require this kind of token, with all its required claims")
  }
}

extension Option<Shell?> {
  static var shell: Self {
    Self("shell", in: .variables, "SHELL", Shell.all, by: { $0.name }, "The shell to write for (default: `sh`)")
  }
  static var hook: Self {
    Self(
      "hook", in: .variables, "SHELL", Shell.all.filter { $0.hook != nil }, by: { $0.name },
      "Print a function for the prompt; it keeps the variables fresh")
  }
}

extension Option<String?> {
  static var signal: Self {
    Self("signal", in: .renewal, .text("SIGNAL"), "Send this signal when the token file has changed")
  }
  static var onRenewal: Self {
    Self("on-renewal", in: .renewal, .file("PROGRAM"), "Run this program when the token file has changed")
  }
  /// The account that `agent ssh` lends.
  static var lentAccount: Self {
    Self("lend", in: .lease, .account, "Let programs on the host send requests as this account")
  }
  static var leaseUses: Self {
    Self("times", in: .lease, .text("NUMBER"), "End the lease after this many requests")
  }
  /// The variable for a lease's token.
  static var tokenVariable: Self {
    Self(
      "token-as", in: .lease, .text("NAME"), "Set this variable to a token valid only at the URLs of `--url-as`")
  }
  /// The program that asks the questions of ``confirm``.
  static var askProgram: Self {
    Self("askpass", in: .lease, .file("PROGRAM"), "Ask with this program: status 0 means yes; by default `SSH_ASKPASS`")
  }
  static var socket: Self {
    Self("socket", in: .lease, .file("PATH"), "Create the socket here; the directory must be closed to other users")
  }
  static var nonce: Self {
    Self("nonce", in: .message, .text("NONCE"), "Use this nonce from the server's `DPoP-Nonce` header")
  }
  static var output: Self {
    Self(
      "output", in: .output, short: "o", .file("FILE"),
      "Write the body to this file; it is replaced when the response begins")
  }
  static var jwks: Self {
    Self(
      "jwks", in: .keys, .file("FILE"),
      "Use the keys in this file; a JWK Set, a single public JWK, or public keys in PEM form")
  }
  static var type: Self {
    Self("type", in: .rules, .text("TYPE"), "The token must be of this type (`typ`), such as `at+jwt`")
  }
}

extension Option<[String]> {
  /// Variables that the hook set before.
  static var formerVariables: Self {
    Self("former", in: .variables, each: .text("NAMES"), splitAt: " ", "The variables that were set before")
  }
  /// Variables to set, as `NAME=FIELD`.
  static var variable: Self {
    Self(
      "var", in: .variables, each: .words("NAME=FIELD", TokenField.spellings),
      "Set `NAME` to a field of the token; only those named are set")
  }
  /// URLs that a lease permits.
  static var leaseOrigins: Self {
    Self(
      "only", in: .lease, each: .text("PLACE"),
      "Permit this host, origin, or URL and all below it; may be given several times")
  }
  /// The variables for a lease's local URLs.
  static var urlVariables: Self {
    Self(
      "url-as", in: .lease, each: .text("NAME"),
      "Serve the resource of `--only` by plain HTTP on this machine, and set this variable to its URL; once for each"
    )
  }
  static var methods: Self {
    Self("method", in: .lease, each: .text("METHOD"), "Permit this method; may be given several times")
  }
  static var allowedHeaders: Self {
    Self("allow-header", in: .lease, each: .text("NAME"), "Forward this header too; may be given several times")
  }
  static var users: Self {
    Self("user", in: .lease, each: .text("UID"), "Also admit this user's processes; may be given several times")
  }
  static var headers: Self {
    Self(
      "header", in: .output, short: "H", each: .text("HEADER"),
      "Send this header, `Name: value`; may be given several times")
  }
  static var data: Self {
    Self(
      "data", in: .message, short: "d", each: .text("DATA"),
      "Send this text, or the file after `@`; standard input for `@-`; several texts are joined by `&`")
  }
  static var audiences: Self {
    Self(
      AccountSetting.audience.optionName, in: .rules, each: .text("NAME"),
      "The token must be for this audience (`aud`); if several are given, one is enough")
  }
  static var requiredClaims: Self {
    Self(
      "require", in: .rules, each: .text("LIST"), splitAt: ",",
      "Require these claims, such as `sub,jti`; in addition to `exp`, separated by commas")
  }
  static var claimRequirements: Self {
    Self(
      "claim", in: .rules, each: .text("NAME=VALUE"),
      "Require this value of a claim, or this element of a list; may be given several times")
  }
  static var algorithms: Self {
    Self(
      "algorithms", in: .rules, each: .text("LIST"), splitAt: ",",
      "Accept only these algorithms, such as `RS256,ES256`; separated by commas")
  }
}
