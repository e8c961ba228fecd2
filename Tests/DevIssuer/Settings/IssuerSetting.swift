import Encoding
import JOSE

/// One setting: an option of the command line, a parameter of the control endpoint, or both.
struct IssuerSetting: Sendable {
  typealias Check = @Sendable (String) -> Bool

  /// Of the parameter; with hyphens for a setting that is an option only.
  let name: String
  /// With the two hyphens; nil for a parameter only.
  var option: String?
  /// The values that there are, for the help and for errors; nil for an option without a value.
  var values: String?
  var initial = JSON.null
  var help = ""
  /// What an option without a value sets.
  var implied = "on"
  var mayRepeat = false
  /// Sets a value; false when it is not one of the setting.
  let set: @Sendable (inout IssuerSettings, String) -> Bool

  /// Nil for an option only.
  var parameter: String? { name.hasPrefix("--") ? nil : name }

  // MARK: The table. What has hyphens is an option only; the others are parameters, and options if there is help.

  static let all = start + lifetimes + signIns + resources + misbehaviour + faults

  private static let start = [
    number("--port", 0...65_535, 0, "listen on this port of 127.0.0.1 (default: a free one)"),
    text(
      "--algorithm", "NAME", "RS256", "sign ID Tokens with RS256, ES256, EdDSA … (default: RS256)", check: isAlgorithm),
    list(
      "--claim", "NAME=VALUE", 64, "add a claim about the user; VALUE is JSON if it can be read as such, else text",
      read: claim),
    list("--exact-redirect-uri", "URI", 16, "take this redirect URI byte for byte, and no other but these") {
      isURI($0) && !$0.contains("#") ? ($0, true) : nil
    },
    text(
      "--redirect-path", "/PATH", "/",
      "else take any port of 127.0.0.1 and [::1], with this path or one below it (default: /)", check: isPath),
    list("--target", "NAME", 16, "take this resource or audience, and no other but these (default: any)") {
      $0.isEmpty ? nil : ($0, true)
    },
    flag("--control", "add /control: switches and counters for tests"),
    text(
      "--client-secret-file", "FILE", .null, "write the secret of agent-confidential there (mode 0600)", check: isFile),
    text(
      "--client-jwks", "FILE", .null, "add the client agent-jwt, which signs with a key of this JWK Set (RFC 7523)",
      check: isFile),
    text(
      "--platform-jwks", "FILE", .null, "take assertions that are signed with a key of this JWK Set (RFC 7523)",
      check: isFile),
    text(
      "platform_issuer", "URI", "https://platform.example",
      "take them from this issuer (default: https://platform.example)", check: isURI),
    text(
      "--job-token", "TOKEN", .null, "be a platform, too: give a JWT to a job that shows this token at /job_token",
      check: ASCII.isVisible),
    text("--ca-file", "FILE", .null, "trust these authorities (PEM) for what clients publish, too", check: isFile),
    text("--log", "FILE", .null, "write a line for each request there; - is standard error", check: isFile),
  ]

  private static let lifetimes = [
    number("access_token_lifetime", 0...315_360_000, 3600, "seconds; 0: no expiry (default: 3600)"),
    number("access_token_bytes", 0...200_000, 0, "issue access tokens of this length"),
    number("refresh_token_lifetime", 1...315_360_000, 2_592_000, "seconds (default: 2592000)"),
    number("device_code_lifetime", 1...86_400, 600, "seconds (default: 600)"),
    number("code_lifetime", 1...600, 60, "seconds that an authorization code is good for (default: 60)"),
    number("interval", 0...3600, 5, "least seconds between two polls; 0: not enforced (default: 5)"),
    number("assertion_lifetime", -86_400...86_400, 300),
    text("assertion_audience", "URI", check: isURI),
    text("assertion_client", "ID", check: ASCII.isVisible),
    text("assertion_without", "CLAIM", check: ASCII.isVisible),
    number("reuse_leeway", 0...3600, 0, "seconds that a refresh token is good for after its replacement"),
    number("clock_offset", -315_360_000...315_360_000, 0, "seconds by which clients see the clock ahead"),
    flag("rotation", isOn: true, "refresh tokens stay the same"),
    flag("refresh_token", isOn: true, "issue none"),
    text(
      "refresh_token_expires_in", "JSON", .null, "name this end of refresh tokens in answers", check: { !$0.isEmpty }),
    text("authorization_expires_in", "JSON", .null, "name this end of grants in answers", check: { !$0.isEmpty }),
    text(
      "authorization_details", "JSON", .null, "grant these authorization details (RFC 9396)", check: { !$0.isEmpty }),
    flag("id_token", isOn: true, "issue none"),
    number("id_token_lifetime", 1...315_360_000, 3600, "seconds that an ID Token is good for (default: 3600)"),
    flag("id_token_secret", "protect them with the client's secret (HS256), where it has one"),
    flag("sign_userinfo", "answer with a signed token"),
  ]

  private static let signIns = [
    text("approval", "ask|always|never", "ask", "who decides about sign-ins (default: ask)", "--approve"),
    // For whom the control endpoint decides.
    text("username", "NAME", .string(User.demo), check: User.isName),
    text("par", "off|offered|required", "offered"),
    alias("--require-par", of: "par", "required", "take pushed requests only (RFC 9126)"),
    alias("--no-par", of: "par", "off", "take no pushed authorization requests"),
    IssuerSetting(
      name: FAPI2Server.name, option: "--fapi2", initial: false,
      help: "do what FAPI 2.0 demands of a server; later options can make it weaker"
    ) { settings, text in
      guard ["on", "off"].contains(text) else { return false }
      settings[FAPI2Server.name] = .bool(text == "on")
      if text == "on" { FAPI2Server.adopt(&settings) }
      return true
    },
    text(
      "client_documents", "https|loopback|off", "https",
      "take clients that publish their metadata (default: https);\nloopback: over plain http to this machine, too"),
    flag("open_registration", "let anyone register a client (RFC 7591)"),
    flag("dpop_required", "token requests need a proof of possession (RFC 9449)"),
    flag("dpop_nonce", "proofs of possession need a nonce of this server"),
    flag("dpop_nonce_rotation", isOn: true, "their nonces stay the same"),
    text(
      "dpop_algorithms", "NAME,…", .null, "take proofs with these algorithms alone (default: all)",
      check: isAlgorithms),
    number("dpop_window", 0...86_400, 60, "seconds that the time of a proof may be off (default: 60)"),
  ]

  private static let resources = [
    text("require_scope", "SCOPE", .null, "protected resources want this scope (RFC 6750)", check: isScope),
    text("require_acr", "basic|strong", .null, "they want this kind of sign-in (RFC 9470)"),
    text("require_max_age", "SECONDS", .null, "they want a sign-in no older than this", check: isNumber(0...Int.max)),
    flag("require_dpop", "they take only tokens that are bound to a key (RFC 9449)"),
    text(
      "resource_dpop_algorithms", "NAME,…", .null, "they take proofs with these algorithms alone (default: all)",
      check: isAlgorithms),
    number("refuse_next", 0...1_000_000, 0, "they refuse so many good tokens"),
    text(
      "redirect_to", "URI", "http://resource.invalid/", "where /redirect sends to (default: http://resource.invalid/)",
      check: isURI),
  ]

  private static let misbehaviour =
    [
      number("delay_token_ms", 0...600_000, 0, "answer token requests this late"),
      text("hang", "ENDPOINT", check: isEndpoint),
      // Of the failures that are planned, which come after them.
      number("status", 400...599, 503),
      text("error", "TEXT", "temporarily_unavailable") { !$0.contains { "\"\\".contains($0) } },
      text("retry_after", "SECONDS", check: isNumber(0...86_400)),
    ]
    + IssuerEndpoint.faulty.map { endpoint in
      let count = number("fail_next_" + endpoint.rawValue, 0...1_000_000, 0)
      return IssuerSetting(name: count.name, values: count.values) { settings, text in
        guard count.set(&settings, text) else { return false }
        let parts = ["status", "error", "retry_after"].map { ($0, settings[$0]) }
        settings[count.name] = .object(JSONObject(parts + [("left", settings[count.name])]))
        return true
      }
    }

  private static let faults =
    IssuerFault.Place.allCases.map { place in
      let names = IssuerFault.table.filter { $0.place == place }.map(\.name)
      let help = "spoil answers (\(place.rawValue)):\n" + lines(names, width: 60)
      return IssuerSetting(
        name: place.parameter, option: option("break_" + place.rawValue), values: "FAULT", help: help
      ) { settings, name in
        settings[place.parameter] = names.contains(name) ? .string(name) : .null
        if place == .body { settings.reset("times") }
        return names.contains(name) || name == "off"
      }
    } + [
      text(
        "body_at", "ENDPOINT", "token",
        "whose answers (default: token):\n" + lines(IssuerEndpoint.faulty.map(\.rawValue), width: 60),
        "--break-body-at", check: isEndpoint),
      text("times", "N", check: isNumber(1...1_000_000)),
    ]
}

/// Kinds of rows.
extension IssuerSetting {
  private init(
    _ name: String, _ values: String?, _ initial: JSON, _ help: String, _ option: String? = nil, implied: String = "on",
    read: @escaping @Sendable (String) -> JSON?
  ) {
    self.init(
      name: name, option: option ?? (help.isEmpty ? nil : Self.option(name)), values: values, initial: initial,
      help: help, implied: implied
    ) { settings, text in
      settings[name] = read(text) ?? settings[name]
      return read(text) != nil
    }
  }

  private static func option(_ name: String) -> String {
    name.hasPrefix("--") ? name : "--" + name.replacing("_", with: "-")
  }

  private static func number(
    _ name: String, _ range: ClosedRange<Int>, _ initial: Int, _ help: String = ""
  ) -> IssuerSetting {
    IssuerSetting(name, "\(range.lowerBound)-\(range.upperBound)", .int(initial), help) { text in
      Int(text).flatMap { String($0) == text && range.contains($0) ? .int($0) : nil }
    }
  }

  /// One that is on at first has an option that turns it off.
  private static func flag(_ name: String, isOn: Bool = false, _ help: String) -> IssuerSetting {
    let option = isOn ? option("no_" + name) : nil
    return IssuerSetting(name, nil, .bool(isOn), help, option, implied: isOn ? "off" : "on") {
      ["on": true, "1": true, "off": false, "0": false][$0]
    }
  }

  /// A parameter that is nothing at first is taken away by `off`.
  ///
  /// - Parameter check: Nil for one of `values`.
  private static func text(
    _ name: String, _ values: String, _ initial: JSON = .null, _ help: String = "", _ option: String? = nil,
    check: Check? = nil
  ) -> IssuerSetting {
    IssuerSetting(name, values, initial, help, option) { text in
      if text == "off", initial == .null, !name.hasPrefix("--") { return .null }
      return check?(text) ?? values.split(separator: "|").contains(text[...]) ? .string(text) : nil
    }
  }

  /// An option that adds to a list, each entry with a name of its own.
  private static func list(
    _ option: String, _ values: String, _ limit: Int, _ help: String,
    read: @escaping @Sendable (String) -> (name: String, value: JSON)?
  ) -> IssuerSetting {
    IssuerSetting(name: option, option: option, values: values, initial: [:], help: help, mayRepeat: true) {
      var entries = $0.entries(option)
      guard let entry = read($1), entries.count < limit, entries[entry.name] == nil else { return false }
      entries[entry.name] = entry.value
      $0[option] = .object(entries)
      return true
    }
  }

  /// An option without a value that sets one of another setting.
  private static func alias(_ option: String, of name: String, _ value: String, _ help: String) -> IssuerSetting {
    IssuerSetting(name: option, option: option, help: help) { settings, _ in
      settings[name] = .string(value)
      return true
    }
  }

  // MARK: Values

  @Sendable private static func isAlgorithm(_ text: String) -> Bool { JWSAlgorithm(name: text) != nil }

  @Sendable private static func isAlgorithms(_ text: String) -> Bool {
    text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { isAlgorithm(String($0)) }
  }

  @Sendable private static func isURI(_ text: String) -> Bool { (try? URI(text)) != nil }

  @Sendable private static func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && (try? URI("http://127.0.0.1" + text))?.path == text
  }

  @Sendable private static func isEndpoint(_ text: String) -> Bool {
    IssuerEndpoint.faulty.map(\.rawValue).contains(text)
  }

  @Sendable private static func claim(_ text: String) -> (name: String, value: JSON)? {
    guard case let (name, value?) = ASCII.halves(text, at: "="), !name.isEmpty, !User.protocolClaims.contains(name)
    else { return nil }
    return (name, (try? JSON(parsing: Array(value.utf8))) ?? .string(value))
  }

  @Sendable private static func isFile(_ text: String) -> Bool { !text.isEmpty && !text.utf8.contains(0) }

  @Sendable private static func isScope(_ text: String) -> Bool { IssuerParameters.scope(text)?.count == 1 }

  private static func isNumber(_ range: ClosedRange<Int>) -> Check { { ASCII.number($0, in: range) != nil } }

  /// The names in lines of at most that many characters.
  static func lines(_ names: [String], width: Int) -> String {
    let lines = names.reduce(into: [String]()) { lines, name in
      let longer = lines.last.map { $0 + ", " + name }
      if let longer, longer.utf8.count <= width { lines[lines.count - 1] = longer } else { lines.append(name) }
    }
    return lines.joined(separator: ",\n")
  }
}
