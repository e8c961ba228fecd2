import Encoding
import JOSE

/// One setting: an option of the command line, a parameter of the control endpoint, or both.
struct IssuerSetting: Sendable {
  typealias Field<Value> = any WritableKeyPath<IssuerSettings, Value> & Sendable

  /// With the two hyphens; nil for a parameter only.
  let option: String?
  /// Nil for an option only.
  let parameter: String?
  /// The values that there are, for the help and for errors; nil for an option without a value.
  let values: String?
  let help: String
  /// What an option without a value sets.
  let implied: String
  var mayRepeat = false
  /// Sets a value; false when it is not one of the setting.
  let set: @Sendable (inout IssuerSettings, String) -> Bool

  // MARK: The table. A name with hyphens is an option only; another one is a parameter, and an option if there is help.

  static let all = start + lifetimes + signIns + proofs + resources + misbehaviour + faults

  private static let start = [
    IssuerSetting("--port", "0-65535", \.port, "listen on this port of 127.0.0.1 (default: a free one)") { UInt16($0) },
    IssuerSetting("--algorithm", "NAME", \.algorithm, "sign ID Tokens with RS256, ES256, EdDSA … (default: RS256)") {
      JWSAlgorithm(name: $0)
    },
    list(
      "--claim", "NAME=VALUE", \.claims, limit: 64, key: { $0.name },
      "add a claim about the user; VALUE is JSON if it can be read as such, else text"
    ) {
      let parts = $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty, !DevelopmentIssuer.protocolClaims.contains(parts[0]) else {
        return nil
      }
      return (parts[0], (try? JSON(parsing: Array(parts[1].utf8))) ?? .string(parts[1]))
    },
    list(
      "--exact-redirect-uri", "URI", \.exactRedirectURIs, key: { $0 },
      "take this redirect URI byte for byte, and no other but these"
    ) {
      uri($0)?.fragment == nil ? uri($0)?.text : nil
    },
    IssuerSetting(
      "--redirect-path", "/PATH", \.redirectPath,
      "else take any port of 127.0.0.1 and [::1], with this path or one below it (default: /)"
    ) {
      $0.hasPrefix("/") && uri("http://127.0.0.1" + $0)?.path == $0 ? $0 : nil
    },
    list(
      "--target", "NAME", \.targets, key: { $0 },
      "take this resource or audience, and no other but these (default: any)"
    ) {
      $0.isEmpty ? nil : $0
    },
    flag("--control", \.hasControl, "add /control: switches and counters for tests"),
    file("--client-secret-file", \.clientSecretFile, "write the secret of agent-confidential there (mode 0600)"),
    file(
      "--client-jwks", \.clientKeyFile, "add the client agent-jwt, which signs with a key of this JWK Set (RFC 7523)"),
    file("--log", \.log, "write a line for each request there; - is standard error"),
  ]

  private static let lifetimes = [
    number("access_token_lifetime", 0...315_360_000, \.accessTokenLifetime, "seconds; 0: no expiry (default: 3600)"),
    number("refresh_token_lifetime", 1...315_360_000, \.refreshTokenLifetime, "seconds (default: 2592000)"),
    number("device_code_lifetime", 1...86_400, \.deviceCodeLifetime, "seconds (default: 600)"),
    number("code_lifetime", 1...600, \.codeLifetime, "seconds that an authorization code is good for (default: 60)"),
    number("interval", 0...3600, \.interval, "least seconds between two polls; 0: not enforced (default: 5)"),
    number("reuse_leeway", 0...3600, \.reuseLeeway, "seconds that a refresh token is good for after its replacement"),
    number("clock_offset", -315_360_000...315_360_000, \.clockOffset, "seconds by which clients see the clock ahead"),
    flag("rotation", \.rotatesRefreshTokens, "refresh tokens stay the same", isOff: true),
    flag("refresh_token", \.issuesRefreshTokens, "issue none", isOff: true),
    flag("id_token", \.issuesIDTokens, "issue none", isOff: true),
    flag("id_token_secret", \.usesClientSecret, "protect them with the client's secret (HS256), where it has one"),
    flag("sign_userinfo", \.signsUserInfo, "answer with a signed token"),
  ]

  private static let signIns = [
    choice("approval", \.approval, "who decides about sign-ins (default: ask)", option: "--approve"),
    IssuerSetting("username", "NAME", \.username) { DevelopmentIssuer.isUsername($0) ? $0 : nil },
    choice("par", \.pushedRequests),
    IssuerSetting("--require-par", nil, \.pushedRequests, "take pushed requests only (RFC 9126)") { _ in .required },
    IssuerSetting("--no-par", nil, \.pushedRequests, "take no pushed authorization requests") { _ in .off },
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
      "redirect_to", "URI", \.redirectTarget, "where /redirect sends to (default: http://resource.invalid/)"
    ) {
      uri($0)?.text
    },
  ]

  private static let misbehaviour =
    [
      number("delay_token_ms", 0...600_000, \.tokenDelayMilliseconds, "answer token requests this late"),
      optional("hang", "ENDPOINT", \.hanging) { endpoint($0) },
      // Of the failures that are planned, which come after them.
      number("status", 400...599, \.failure.status),
      IssuerSetting("error", "TEXT", \.failure.error) { $0.contains { "\"\\".contains($0) } ? nil : $0 },
      optional("retry_after", "SECONDS", \.failure.retryAfter) { ASCII.number($0, in: 0...86_400) },
    ]
    + IssuerEndpoint.allCases.filter { $0 != .control }.map { endpoint in
      let count = number("fail_next_" + endpoint.rawValue, 0...1_000_000, \.failure.remaining)
      return IssuerSetting(nil, count.parameter, count.values) {
        guard count.set(&$0, $1) else { return false }
        $0.failures[endpoint] = $0.failure
        return true
      }
    }

  private static let faults =
    IssuerFault.Place.allCases.map { place in
      let rows = IssuerFault.table.filter { $0.place == place }
      let name = "break_" + place.rawValue
      let help = "spoil answers (\(place.rawValue)):\n" + IssuerCommandLine.lines(rows.map(\.name), width: 60)
      return IssuerSetting(option(name), place == .body ? "body" : name, "FAULT", help) { settings, name in
        settings.faults[place] = rows.first { $0.name == name }
        if place == .body { settings.bodyFaultsLeft = nil }
        return settings.faults[place] != nil || name == "off"
      }
    } + [
      IssuerSetting("body_at", "ENDPOINT", \.bodyEndpoint, endpoints, option: "--break-body-at") { endpoint($0) },
      optional("times", "N", \.bodyFaultsLeft) { ASCII.number($0, in: 1...1_000_000) },
    ]

  private static let endpoints =
    "whose answers (default: token):\n"
    + IssuerCommandLine.lines(IssuerEndpoint.allCases.map(\.rawValue).filter { $0 != "control" }, width: 60)

  // MARK: Kinds of rows

  private init(
    _ option: String?, _ parameter: String?, _ values: String?, _ help: String = "", implied: String = "on",
    set: @escaping @Sendable (inout IssuerSettings, String) -> Bool
  ) {
    (self.option, self.parameter, self.values, self.help) = (option, parameter, values, help)
    (self.implied, self.set) = (implied, set)
  }

  /// - Parameter read: Nil for a text that is no value.
  private init<Value>(
    _ name: String, _ values: String?, _ path: Field<Value>, _ help: String = "", option: String? = nil,
    implied: String = "on", read: @escaping @Sendable (String) -> Value?
  ) {
    let derived = help.isEmpty ? nil : Self.option(name)
    self.init(option ?? derived, name.hasPrefix("--") ? nil : name, values, help, implied: implied) {
      guard let value = read($1) else { return false }
      $0[keyPath: path] = value
      return true
    }
  }

  private static func option(_ name: String) -> String {
    name.hasPrefix("--") ? name : "--" + name.replacing("_", with: "-")
  }

  private static func number(
    _ name: String, _ range: ClosedRange<Int>, _ path: Field<Int>, _ help: String = ""
  ) -> IssuerSetting {
    IssuerSetting(name, "\(range.lowerBound)-\(range.upperBound)", path, help) { text in
      Int(text).flatMap { String($0) == text && range.contains($0) ? $0 : nil }
    }
  }

  /// - Parameter isOff: The option turns it off, and its name begins with `--no-`.
  private static func flag(_ name: String, _ path: Field<Bool>, _ help: String, isOff: Bool = false) -> IssuerSetting {
    IssuerSetting(name, nil, path, help, option: isOff ? option("no_" + name) : nil, implied: isOff ? "off" : "on") {
      ["on": true, "1": true, "off": false, "0": false][$0]
    }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
    _ name: String, _ path: Field<Choice>, _ help: String = "", option: String? = nil
  ) -> IssuerSetting {
    let values = Choice.allCases.map(\.rawValue).joined(separator: "|")
    return IssuerSetting(name, values, path, help, option: option) { Choice(rawValue: $0) }
  }

  /// A setting that `off` takes away.
  private static func optional<Value>(
    _ name: String, _ values: String, _ path: Field<Value?>, _ help: String = "",
    read: @escaping @Sendable (String) -> Value?
  ) -> IssuerSetting {
    IssuerSetting(name, values, path, help) { $0 == "off" ? .some(nil) : read($0).map(Optional.some) }
  }

  /// An option that adds to a list, each entry with a key of its own.
  private static func list<Entry>(
    _ option: String, _ values: String, _ path: Field<[Entry]>, limit: Int = 16,
    key: @escaping @Sendable (Entry) -> String, _ help: String, read: @escaping @Sendable (String) -> Entry?
  ) -> IssuerSetting {
    var row = IssuerSetting(option, nil, values, help) {
      guard let entry = read($1), $0[keyPath: path].count < limit else { return false }
      guard !$0[keyPath: path].contains(where: { key($0) == key(entry) }) else { return false }
      $0[keyPath: path].append(entry)
      return true
    }
    row.mayRepeat = true
    return row
  }

  private static func file(_ option: String, _ path: Field<String?>, _ help: String) -> IssuerSetting {
    IssuerSetting(option, "FILE", path, help) { $0.isEmpty || $0.utf8.contains(0) ? .none : .some($0) }
  }

  private static func endpoint(_ name: String) -> IssuerEndpoint? {
    name == "control" ? nil : IssuerEndpoint(rawValue: name)
  }

  private static func uri(_ text: String) -> URI? { try? URI(text) }
}
