import Encoding
import JOSE

/// One setting: an option of the command line, a parameter of the control endpoint, or both.
struct IssuerSetting: Sendable {
  typealias Field<Value> = any WritableKeyPath<IssuerSettings, Value> & Sendable
  /// Sets a value; false when it is not one of the setting.
  typealias Setter = @Sendable (inout IssuerSettings, String) -> Bool

  /// With the two hyphens; nil for a parameter only.
  let option: String?
  /// Nil for an option only.
  let parameter: String?
  /// The values that an option takes, for the help and for errors; nil for an option without a value, which turns
  /// something on.
  let value: String?
  let help: String
  let implied: String
  let mayRepeat: Bool
  let set: Setter

  // MARK: The table

  static let all = start + lifetimes + signIns + proofs + resources + misbehaviour + faults

  private static let start = [
    IssuerSetting("--port", "0-65535", "listen on this port of 127.0.0.1 (default: a free one)") {
      guard let port = UInt16($1) else { return false }
      $0.port = port
      return true
    },
    IssuerSetting(
      "--algorithm", "ALGORITHM", "sign ID Tokens with RS256, ES256, PS256, EdDSA and so on (default: RS256)"
    ) {
      $0.algorithm = JWSAlgorithm(name: $1) ?? $0.algorithm
      return $0.algorithm.rawValue == $1
    },
    IssuerSetting(
      "--claim", "NAME=VALUE",
      "add a claim about the user, but none that the issuer itself sets; VALUE is JSON if it can be read as such, else text",
      mayRepeat: true
    ) {
      let parts = $1.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty, !DevelopmentIssuer.protocolClaims.contains(parts[0]),
        $0.claims[parts[0]] == nil, $0.claims.count < 64
      else { return false }
      $0.claims[parts[0]] = (try? JSON(parsing: Array(parts[1].utf8))) ?? .string(parts[1])
      return true
    },
    IssuerSetting(
      "--exact-redirect-uri", "URI",
      "take this redirect URI byte for byte, and no other but those given in the same way",
      mayRepeat: true
    ) {
      guard let uri = try? URI($1), uri.fragment == nil, $0.exactRedirectURIs.count < 16 else { return false }
      $0.exactRedirectURIs.append($1)
      return true
    },
    IssuerSetting(
      "--redirect-path", "/PATH",
      "else take any port of 127.0.0.1 and [::1], with this path or one below it (default: /)"
    ) {
      $0.redirectPath = $1
      return $1.hasPrefix("/") && (try? URI("http://127.0.0.1" + $1))?.path == $1
    },
    IssuerSetting(
      "--target", "NAME", "take this resource or audience, and no other but those given in the same way (default: any)",
      mayRepeat: true
    ) {
      $0.targets.append($1)
      return !$1.isEmpty && $0.targets.count <= 16
    },
    IssuerSetting("--control", nil, "add /control: switches and counters for tests") {
      $0.hasControl = $1 == "on"
      return true
    },
    file("--client-secret-file", "write the secret of agent-confidential there (mode 0600)", \.clientSecretFile),
    file(
      "--client-jwks", "add the client agent-jwt, which signs with a key of this JWK Set (RFC 7523)", \.clientKeyFile),
    file("--log", "write a line for each request there; - is standard error", \.log),
  ]

  private static let lifetimes = [
    number(
      "access_token_lifetime", 0...315_360_000, \.accessTokenLifetime,
      "seconds; 0: no expires_in, no expiry (default: 3600)"),
    number("refresh_token_lifetime", 1...315_360_000, \.refreshTokenLifetime, "seconds (default: 2592000)"),
    number("device_code_lifetime", 1...86_400, \.deviceCodeLifetime, "seconds (default: 600)"),
    number("code_lifetime", 1...600, \.codeLifetime, "seconds that an authorization code is good for (default: 60)"),
    number("interval", 0...3600, \.interval, "least seconds between two polls; 0: not enforced (default: 5)"),
    number("reuse_leeway", 0...3600, \.reuseLeeway, "seconds that a refresh token is good for after its replacement"),
    number(
      "clock_offset", -315_360_000...315_360_000, \.clockOffset, "seconds that clients' view of the clock is ahead"),
    flag("rotation", \.rotatesRefreshTokens, "refresh tokens stay the same", isOff: true),
    flag("refresh_token", \.issuesRefreshTokens, "issue none", isOff: true),
    flag("id_token", \.issuesIDTokens, "issue none", isOff: true),
    flag("id_token_secret", \.usesClientSecret, "protect them with the client's secret (HS256), where it has one"),
    flag("sign_userinfo", \.signsUserInfo, "answer with a signed token"),
  ]

  private static let signIns = [
    choice("approval", \.approval, "who decides about sign-ins (default: ask)", option: "--approve"),
    IssuerSetting(nil, parameter: "username", "NAME", "") {
      $0.username = $1
      return DevelopmentIssuer.isUsername($1)
    },
    choice("par", \.pushedRequests),
    IssuerSetting("--require-par", nil, "take pushed authorization requests only (RFC 9126)") {
      $0.pushedRequests = .required
      return $1 == "on"
    },
    IssuerSetting("--no-par", nil, "take no pushed authorization requests") {
      $0.pushedRequests = .off
      return $1 == "on"
    },
    flag("open_registration", \.opensRegistration, "let anyone register a client (RFC 7591)"),
  ]

  private static let proofs = [
    flag("dpop_required", \.requiresProofs, "token requests need a proof of possession (RFC 9449)"),
    flag("dpop_nonce", \.wantsNonce, "proofs of possession need a nonce of this server"),
    flag("dpop_nonce_rotation", \.rotatesNonce, "their nonces stay the same", isOff: true),
    number("dpop_window", 0...86_400, \.proofWindow, "seconds that the time of a proof may be off (default: 60)"),
  ]

  private static let resources = [
    optional("require_scope", "SCOPE", \.requiredScope, "protected resources want this scope (RFC 6750)") {
      IssuerParameters.scope($0)?.count == 1 ? $0 : nil
    },
    optional("require_acr", "basic|strong", \.requiredACR, "they want this kind of sign-in (RFC 9470)") {
      BrowserSession.contexts.contains($0) ? $0 : nil
    },
    optional("require_max_age", "SECONDS", \.requiredMaxAge, "they want a sign-in no older than this") {
      ASCII.number($0, in: 0...Int.max)
    },
    flag("require_dpop", \.requiresBoundTokens, "they take only tokens that are bound to a key (RFC 9449)"),
    number("refuse_next", 0...1_000_000, \.refusals, "they refuse so many good tokens"),
    IssuerSetting(
      "--redirect-to", parameter: "redirect_to", "URI", "where /redirect sends to (default: http://resource.invalid/)"
    ) {
      $0.redirectTarget = $1
      return (try? URI($1)) != nil
    },
  ]

  private static let misbehaviour =
    [
      number(
        "delay_token_ms", 0...600_000, \.tokenDelayMilliseconds, "answer token requests this late, in milliseconds"),
      optional("hang", "ENDPOINT", \.hanging) { endpoint($0) },
      // Of the failures that are planned: these come first.
      number("status", 400...599, \.failure.status),
      IssuerSetting(nil, parameter: "error", "TEXT", "") {
        $0.failure.error = $1
        return $1.utf8.allSatisfy { ASCII.isPrintable($0) && !"\"\\".utf8.contains($0) }
      },
      optional("retry_after", "SECONDS", \.failure.retryAfter) { ASCII.number($0, in: 0...86_400) },
    ]
    + IssuerEndpoint.allCases.filter { $0 != .control }.map { endpoint in
      number(
        "fail_next_" + endpoint.rawValue, 0...1_000_000, \.failure.remaining,
        then: { $0.failures[endpoint] = $0.failure })
    }

  private static let faults =
    IssuerFault.Place.allCases.map { place in
      let rows = IssuerFault.table.filter { $0.place == place }
      return IssuerSetting(
        option("break_" + place.rawValue), parameter: place == .body ? "body" : "break_" + place.rawValue, "FAULT",
        "\(place.explanation):\n" + IssuerCommandLine.lines(rows.map(\.name), width: 60)
      ) { (settings, name) in
        let row = rows.first { $0.name == name }
        settings.faults[place] = row
        if place == .body { settings.bodyFaultsLeft = nil }
        return row != nil || name == "off"
      }
    } + [
      IssuerSetting(
        "--break-body-at", parameter: "body_at", "ENDPOINT",
        "whose answers (default: token):\n"
          + IssuerCommandLine.lines(IssuerEndpoint.allCases.map(\.rawValue).filter { $0 != "control" }, width: 60)
      ) {
        guard let endpoint = endpoint($1) else { return false }
        $0.bodyEndpoint = endpoint
        return true
      },
      optional("times", "N", \.bodyFaultsLeft) { ASCII.number($0, in: 1...1_000_000) },
    ]

  // MARK: Kinds of rows

  /// - Parameter implied: What an option without a value sets.
  private init(
    _ option: String?, parameter: String? = nil, _ value: String?, _ help: String, implied: String = "on",
    mayRepeat: Bool = false, _ set: @escaping Setter
  ) {
    self.option = option
    self.parameter = parameter
    self.value = value
    self.help = help
    self.implied = implied
    self.mayRepeat = mayRepeat
    self.set = set
  }

  private static func option(_ name: String) -> String { "--" + name.replacing("_", with: "-") }

  private static func number(
    _ name: String, _ range: ClosedRange<Int>, _ path: Field<Int>,
    _ help: String = "", then act: (@Sendable (inout IssuerSettings) -> Void)? = nil
  ) -> IssuerSetting {
    let values = "\(range.lowerBound)-\(range.upperBound)"
    return IssuerSetting(help.isEmpty ? nil : option(name), parameter: name, values, help) {
      guard let number = Int($1), String(number) == $1, range.contains(number) else { return false }
      $0[keyPath: path] = number
      act?(&$0)
      return true
    }
  }

  /// - Parameter isOff: The option turns it off, and its name begins with `--no-`.
  private static func flag(
    _ name: String, _ path: Field<Bool>, _ help: String, isOff: Bool = false
  ) -> IssuerSetting {
    IssuerSetting(option(isOff ? "no_" + name : name), parameter: name, nil, help, implied: isOff ? "off" : "on") {
      $0[keyPath: path] = $1 == "on" || $1 == "1"
      return ["on", "1", "off", "0"].contains($1)
    }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
    _ name: String, _ path: Field<Choice>, _ help: String = "", option: String? = nil
  ) -> IssuerSetting {
    IssuerSetting(option, parameter: name, Choice.allCases.map(\.rawValue).joined(separator: "|"), help) {
      guard let choice = Choice(rawValue: $1) else { return false }
      $0[keyPath: path] = choice
      return true
    }
  }

  /// A setting that `off` takes away.
  ///
  /// - Parameter read: Nil for a text that is no value.
  private static func optional<Value>(
    _ name: String, _ values: String, _ path: Field<Value?>, _ help: String = "",
    read: @escaping @Sendable (String) -> Value?
  ) -> IssuerSetting {
    IssuerSetting(help.isEmpty ? nil : option(name), parameter: name, values, help) {
      $0[keyPath: path] = $1 == "off" ? nil : read($1)
      return $0[keyPath: path] != nil || $1 == "off"
    }
  }

  private static func file(
    _ option: String, _ help: String, _ path: Field<String?>
  ) -> IssuerSetting {
    IssuerSetting(option, "FILE", help) {
      $0[keyPath: path] = $1
      return !$1.isEmpty && !$1.utf8.contains(0)
    }
  }

  private static func endpoint(_ name: String) -> IssuerEndpoint? {
    IssuerEndpoint(rawValue: name).flatMap { $0 == .control ? nil : $0 }
  }
}
