import Encoding
import Crypto

/// A command-line option, a parameter of the control endpoint, or both.
struct IssuerSetting: Sendable {
  /// The parameter's name, or with hyphens that of a setting that is only an option.
  let name: String
  /// The option with its two hyphens; nil for a setting that is only a parameter.
  var option: String?
  /// Shown in the help and errors; nil for an option without a value.
  var values: String?
  var initial = JSON.null
  var help = ""
  /// The value if the option is given without one.
  var implied = "on"
  var mayRepeat = false
  /// The values of other settings that this one implies, unless it is turned off.
  var consequences: JSONObject = [:]
  /// Nil if the value is invalid.
  let read: @Sendable (String, IssuerSettings) -> JSON?

  /// Nil for a setting that is only an option.
  var parameter: String? { name.hasPrefix("--") ? nil : name }

  /// Sets a value. Returns false if invalid. `off` removes a parameter that is initially null.
  func set(_ settings: inout IssuerSettings, _ text: String) -> Bool {
    let isTakenAway = text == "off" && initial == .null && parameter != nil
    guard let value = isTakenAway ? .null : read(text, settings) else { return false }
    settings[name] = value
    for name in value == false ? [] : consequences.names { settings[name] = consequences[name] ?? .null }
    return true
  }

  // MARK: The table. Names with hyphens are options only; the others are parameters, and also options if they have help.

  static let all = start + lifetimes + signIns + resources + misbehaviour + faults

  private static let start = [
    number("--port", 0...65_535, 0, "listen on this port of 127.0.0.1 (default: a free one)"),
    text("--algorithm", "ALGORITHM", "RS256", "sign ID Tokens with RS256, ES256, EdDSA … (default: RS256)"),
    list(
      "--claim", "NAME=VALUE", 64, "add a claim about the user; VALUE is JSON if it can be read as such, else text",
      read: claim),
    list("--exact-redirect-uri", "REDIRECT-URI", 16, "take this one byte for byte, and no other but these"),
    text(
      "--redirect-path", "/PATH", "/",
      "else take any port of 127.0.0.1 and [::1], with this path or one below it (default: /)"),
    list("--target", "NAME", 16, "take this resource or audience, and no other but these (default: any)"),
    flag("--control", "add /control: switches and counters for tests"),
    text("--client-secret-file", "FILE", .null, "write the secret of agent-confidential there (mode 0600)"),
    text("--client-jwks", "FILE", .null, "add the client agent-jwt, which signs with a key of this JWK Set (RFC 7523)"),
    text("--platform-jwks", "FILE", .null, "take assertions that are signed with a key of this JWK Set (RFC 7523)"),
    text(
      "platform_issuer", "URI", "https://platform.example",
      "take them from this issuer (default: https://platform.example)"),
    text(
      "--job-token", "WORD", .null, "be a platform, too: give a JWT to a job that shows this token at /job_token"),
    text("--ca-file", "FILE", .null, "trust these authorities (PEM) for what clients publish, too"),
    text("--log", "FILE", .null, "write a line for each request there; - is standard error"),
  ]

  private static let lifetimes = [
    number("access_token_lifetime", 0...315_360_000, 3600, "seconds; 0: no expiry (default: 3600)"),
    number("access_token_bytes", 0...200_000, 0, "issue access tokens of this length"),
    number("refresh_token_lifetime", 1...315_360_000, 2_592_000, "seconds (default: 2592000)"),
    number("device_code_lifetime", 1...86_400, 600, "seconds (default: 600)"),
    number("code_lifetime", 1...600, 60, "seconds that an authorization code is good for (default: 60)"),
    number("interval", 0...3600, 5, "least seconds between two polls; 0: not enforced (default: 5)"),
    number("assertion_lifetime", -86_400...86_400, 300),
    text("assertion_audience", "URI"),
    text("assertion_client", "WORD"),
    text("assertion_without", "WORD"),
    number("reuse_leeway", 0...3600, 0, "seconds that a refresh token is good for after its replacement"),
    number("clock_offset", -315_360_000...315_360_000, 0, "seconds by which clients see the clock ahead"),
    flag("rotation", isOn: true, "refresh tokens stay the same"),
    flag("narrow_scope", isOn: true, "refreshes ignore their scope, and grant all that the user did"),
    flag("refresh_token", isOn: true, "issue none"),
    text("refresh_token_expires_in", "JSON", .null, "name this end of refresh tokens in answers"),
    text("authorization_expires_in", "JSON", .null, "name this end of grants in answers"),
    text("authorization_details", "JSON", .null, "grant these authorization details (RFC 9396)"),
    flag("id_token", isOn: true, "issue none"),
    number("id_token_lifetime", 1...315_360_000, 3600, "seconds that an ID Token is good for (default: 3600)"),
    flag("id_token_secret", "protect them with the client's secret (HS256), where it has one"),
    flag("sign_userinfo", "answer with a signed token"),
  ]

  private static let signIns = [
    text("approval", "ask|always|never", "ask", "who decides about sign-ins (default: ask)", "--approve"),
    // The control endpoint decides who approves sign-ins.
    text("username", "USER", .string(User.demo)),
    text("par", "off|offered|required", "offered"),
    flag("--require-par", "take pushed requests only (RFC 9126)", sets: ["par": "required"]),
    flag("--no-par", "take no pushed authorization requests", sets: ["par": "off"]),
    // The profile's section 5.3.2.2, item 3; section 5.3.2.1, items 4 and 9; section 5.4.1, item 1.
    flag(
      "fapi2", "do what FAPI 2.0 demands of a server; later options can make it weaker",
      sets: ["par": "required", "dpop_required": true, "rotation": false, "--algorithm": "PS256"]),
    text(
      "client_documents", "https|loopback|off", "https",
      "take clients that publish their metadata (default: https);\nloopback: over plain http to this machine, too"),
    flag("open_registration", "let anyone register a client (RFC 7591)"),
    flag("dpop_required", "token requests need a proof of possession (RFC 9449)"),
    flag("dpop_nonce", "proofs of possession need a nonce of this server"),
    flag("dpop_nonce_rotation", isOn: true, "their nonces stay the same"),
    text("dpop_algorithms", "ALGORITHM,…", .null, "take proofs with these algorithms alone (default: all)"),
    number("dpop_window", 0...86_400, 60, "seconds that the time of a proof may be off (default: 60)"),
  ]

  private static let resources = [
    text("require_scope", "SCOPE", .null, "protected resources want this scope (RFC 6750)"),
    text("require_acr", "basic|strong", .null, "they want this kind of sign-in (RFC 9470)"),
    text("require_max_age", "SECONDS", .null, "they want a sign-in no older than this"),
    flag("require_dpop", "they take only tokens that are bound to a key (RFC 9449)"),
    text(
      "resource_dpop_algorithms", "ALGORITHM,…", .null, "they take proofs with these algorithms alone (default: all)"),
    number("refuse_next", 0...1_000_000, 0, "they refuse so many good tokens"),
    text(
      "redirect_to", "URI", "http://resource.invalid/", "where /redirect sends to (default: http://resource.invalid/)"),
  ]

  private static let misbehaviour =
    [
      number("delay_token_ms", 0...600_000, 0, "answer token requests this late"),
      text("hang", "ENDPOINT"),
      // Of the planned failures below.
      number("status", 400...599, 503),
      text("error", "TEXT", "temporarily_unavailable"),
      number("retry_after", 0...86_400),
    ]
    + IssuerEndpoint.faulty.map { endpoint in
      let count = number("fail_next_" + endpoint.rawValue, 0...1_000_000, 0)
      return IssuerSetting(name: count.name, values: count.values) { text, settings in
        let plan = ["status", "error", "retry_after"].map { ($0, settings[$0]) }
        return count.read(text, settings).map { .object(JSONObject(plan + [("left", $0)])) }
      }
    }

  private static let faults =
    IssuerFault.Place.allCases.map { place in
      let names = IssuerFault.table.filter { $0.place == place }.map(\.name)
      let help = "spoil answers (\(place.rawValue)):\n" + lines(names, width: 60)
      return IssuerSetting(
        name: place.parameter, option: option("break_" + place.rawValue), values: "FAULT", help: help,
        consequences: place == .body ? ["times": .null] : [:]
      ) { name, _ in names.contains(name) ? .string(name) : nil }
    } + [
      text(
        "body_at", "ENDPOINT", "token",
        "whose answers (default: token):\n" + lines(IssuerEndpoint.faulty.map(\.rawValue), width: 60),
        "--break-body-at"),
      number("times", 1...1_000_000),
    ]
}

extension IssuerSetting {
  private static func option(_ name: String) -> String {
    name.hasPrefix("--") ? name : "--" + name.replacing("_", with: "-")
  }

  private static func number(
    _ name: String, _ range: ClosedRange<Int>, _ initial: Int? = nil, _ help: String = ""
  ) -> IssuerSetting {
    IssuerSetting(
      name: name, option: help.isEmpty ? nil : option(name), values: "\(range.lowerBound)-\(range.upperBound)",
      initial: initial.map(JSON.int) ?? .null, help: help
    ) { text, _ in Int(text).flatMap { String($0) == text && range.contains($0) ? .int($0) : nil } }
  }

  /// If it is initially on, its option turns it off.
  private static func flag(
    _ name: String, isOn: Bool = false, _ help: String, sets consequences: JSONObject = [:]
  ) -> IssuerSetting {
    IssuerSetting(
      name: name, option: option(isOn ? "no_" + name : name), initial: .bool(isOn), help: help,
      implied: isOn ? "off" : "on", consequences: consequences
    ) { text, _ in ["on": true, "1": true, "off": false, "0": false][text] }
  }

  /// - Parameter values: One of ``kinds``, or the possible texts.
  private static func text(
    _ name: String, _ values: String, _ initial: JSON = .null, _ help: String = "", _ option: String? = nil
  ) -> IssuerSetting {
    IssuerSetting(
      name: name, option: option ?? (help.isEmpty ? nil : Self.option(name)), values: values, initial: initial,
      help: help
    ) { text, _ in
      kinds[values]?(text) ?? values.split(separator: "|").contains(text[...]) ? .string(text) : nil
    }
  }

  /// An option that appends a named entry to a list.
  private static func list(
    _ option: String, _ values: String, _ limit: Int, _ help: String,
    read: (@Sendable (String) -> (name: String, value: JSON)?)? = nil
  ) -> IssuerSetting {
    IssuerSetting(name: option, option: option, values: values, initial: [:], help: help, mayRepeat: true) {
      var entries = $1.entries(option)
      let entry = if let read { read($0) } else { kinds[values]?($0) == true ? ($0, true) : nil as (String, JSON)? }
      guard let entry, entries.count < limit, entries[entry.0] == nil else { return nil }
      entries[entry.0] = entry.1
      return .object(entries)
    }
  }

  /// The validation of texts, by their names in the help.
  private static let kinds: [String: @Sendable (String) -> Bool] = [
    "ALGORITHM": { JWSAlgorithm(name: $0) != nil },
    "ALGORITHM,…": { text in
      text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { JWSAlgorithm(name: String($0)) != nil }
    },
    "ENDPOINT": { IssuerEndpoint.faulty.map(\.rawValue).contains($0) },
    "FILE": { !$0.isEmpty && !$0.utf8.contains(0) },
    "JSON": { !$0.isEmpty },
    "NAME": { !$0.isEmpty },
    "/PATH": { $0.hasPrefix("/") && (try? URI("http://127.0.0.1" + $0))?.path == $0 },
    "REDIRECT-URI": { !$0.contains("#") && (try? URI($0)) != nil },
    "SCOPE": { IssuerParameters.scope($0)?.count == 1 },
    "SECONDS": { ASCII.number($0, in: 0...Int.max) != nil },
    "TEXT": { !$0.contains { "\"\\".contains($0) } },
    "URI": { (try? URI($0)) != nil },
    "USER": User.isName,
    "WORD": ASCII.isVisible,
  ]

  @Sendable private static func claim(_ text: String) -> (name: String, value: JSON)? {
    guard case let (name, value?) = ASCII.halves(text, at: "="), !name.isEmpty, !User.protocolClaims.contains(name)
    else { return nil }
    return (name, (try? JSON(parsing: Array(value.utf8))) ?? .string(value))
  }

  /// Wraps the names to `width` characters.
  static func lines(_ names: [String], width: Int) -> String {
    let lines = names.reduce(into: [String]()) { lines, name in
      let longer = lines.last.map { $0 + ", " + name }
      if let longer, longer.utf8.count <= width { lines[lines.count - 1] = longer } else { lines.append(name) }
    }
    return lines.joined(separator: ",\n")
  }
}

/// A value for each setting. Options set the values at the start, the control endpoint changes them later.
struct IssuerSettings: Sendable {
  private var values = [String: JSON](uniqueKeysWithValues: IssuerSetting.all.map { ($0.name, $0.initial) })

  subscript(name: String) -> JSON {
    get { values[name]! }
    set { values[name] = newValue }
  }

  func number(_ name: String) -> Int { self[name].int ?? 0 }

  func isOn(_ name: String) -> Bool { self[name] == true }

  /// Nil if off.
  func text(_ name: String) -> String? { self[name].string }

  /// A list's entries, each with its value.
  func entries(_ name: String) -> JSONObject { self[name].object ?? [:] }

  func endpoint(_ name: String) -> IssuerEndpoint? { text(name).flatMap(IssuerEndpoint.init) }

  mutating func reset(_ name: String) { self[name] = IssuerSettings()[name] }
}
