import Encoding
import JOSE

/// One option of the command line: how it is read, and what the help says about it.
struct OptionSpecification: Sendable {
  /// With the two hyphens.
  let name: String
  /// What stands for the value in the help; nil for an option without one.
  let metavariable: String?
  let help: String
  var mayRepeat = false
  /// Gets an empty text for an option without a value.
  let apply: @Sendable (String, inout Options) throws(UsageError) -> Void
}

extension OptionSpecification {
  static let all: [OptionSpecification] = numbers + choices + redirects + resources + flags + faults + files

  private static let numbers: [OptionSpecification] = [
    OptionSpecification(
      name: "--port", metavariable: "N", help: "listen on this port of 127.0.0.1 (default: a free one)",
      apply: { (text, options) throws(UsageError) in
        options.port = UInt16(try number(text, in: 0...65_535, for: "--port"))
      }),
    number(
      "--access-token-lifetime", "S", "seconds; 0: no expires_in, no expiry (default: 3600)",
      Settings.accessRange
    ) { $0.accessTokenLifetime = $1 },
    number(
      "--refresh-token-lifetime", "S", "seconds (default: 2592000)",
      Settings.refreshRange
    ) { $0.refreshTokenLifetime = $1 },
    number(
      "--device-code-lifetime", "S", "seconds (default: 600)",
      Settings.deviceRange
    ) { $0.deviceCodeLifetime = $1 },
    number(
      "--code-lifetime", "S", "seconds that an authorization code is good for (default: 60)",
      Settings.codeRange
    ) { $0.codeLifetime = $1 },
    number(
      "--interval", "S", "least seconds between two polls; 0: not enforced (default: 5)",
      Settings.intervalRange
    ) { $0.interval = $1 },
    number(
      "--delay-token-ms", "N", "answer token requests this late, in milliseconds",
      Settings.delayRange
    ) { $0.tokenDelayMilliseconds = $1 },
  ]

  private static let choices: [OptionSpecification] = [
    OptionSpecification(
      name: "--algorithm", metavariable: "ALG",
      help: "sign ID Tokens with RS256, ES256, PS256, EdDSA and so on (default: RS256)",
      apply: { (text, options) throws(UsageError) in
        guard let algorithm = JWSAlgorithm(name: text) else {
          throw UsageError("--algorithm: unknown algorithm")
        }
        options.algorithm = algorithm
      }),
    OptionSpecification(
      name: "--approve", metavariable: "ask|always|never", help: "who decides about sign-ins (default: ask)",
      apply: { (text, options) throws(UsageError) in
        guard let approval = Settings.Approval(rawValue: text) else {
          throw UsageError("--approve: ask, always or never")
        }
        options.settings.approval = approval
      }),
    OptionSpecification(
      name: "--claim", metavariable: "NAME=VALUE",
      help: "add a claim about the user; VALUE is JSON if it can be read as such, else text",
      mayRepeat: true,
      apply: { (text, options) throws(UsageError) in try addClaim(text, &options) }),
  ]

  private static let flags: [OptionSpecification] = [
    flag("--no-rotation", "refresh tokens stay the same") { $0.settings.rotatesRefreshTokens = false },
    flag("--no-refresh-token", "issue none") { $0.settings.issuesRefreshTokens = false },
    flag("--no-id-token", "issue none") { $0.settings.issuesIDTokens = false },
    flag("--id-token-secret", "protect them with the client's secret (HS256), where it has one") {
      $0.settings.usesClientSecret = true
    },
    flag("--sign-userinfo", "answer with a signed token") { $0.settings.signsUserInfo = true },
    flag("--dpop-required", "token requests need a proof of possession (RFC 9449)") {
      $0.settings.dpop.isRequired = true
    },
    flag("--dpop-nonce", "proofs of possession need a nonce of this server") { $0.settings.dpop.wantsNonce = true },
    flag("--control", "add /control: switches and counters for tests") { $0.hasControl = true },
  ]

  private static let files: [OptionSpecification] = [
    OptionSpecification(
      name: "--client-secret-file", metavariable: "FILE",
      help: "write the secret of agent-confidential there (mode 0600)",
      apply: { (text, options) throws(UsageError) in options.clientSecretFile = try fileName(text) }),
    OptionSpecification(
      name: "--client-jwks", metavariable: "FILE",
      help: "add the client agent-jwt, which signs with a key of this JWK Set (RFC 7523)",
      apply: { (text, options) throws(UsageError) in options.clientKeyFile = try fileName(text) }),
    OptionSpecification(
      name: "--log", metavariable: "FILE|-", help: "write a line for each request there; - is standard error",
      apply: { (text, options) throws(UsageError) in options.log = try fileName(text) }),
  ]

  static func number(
    _ name: String, _ metavariable: String, _ help: String, _ range: ClosedRange<Int>,
    _ set: @escaping @Sendable (inout Settings, Int) -> Void
  ) -> OptionSpecification {
    OptionSpecification(
      name: name, metavariable: metavariable, help: help,
      apply: { (text, options) throws(UsageError) in
        set(&options.settings, try number(text, in: range, for: name))
      })
  }

  static func flag(
    _ name: String, _ help: String, _ set: @escaping @Sendable (inout Options) -> Void
  ) -> OptionSpecification {
    OptionSpecification(
      name: name, metavariable: nil, help: help, apply: { (_, options) throws(UsageError) in set(&options) })
  }

  private static func number(
    _ text: String, in range: ClosedRange<Int>, for name: String
  ) throws(UsageError) -> Int {
    guard let value = ASCII.number(text, in: range) else {
      throw UsageError("\(name): a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private static func fileName(_ text: String) throws(UsageError) -> String {
    guard !text.isEmpty, !text.utf8.contains(0) else { throw UsageError("a file name is empty") }
    return text
  }

  private static func addClaim(_ text: String, _ options: inout Options) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { throw UsageError("--claim: NAME=VALUE") }
    let name = String(parts[0])
    guard !IDTokenClaims.protocolNames.contains(name) else {
      throw UsageError("--claim: the issuer itself sets \(name)")
    }
    guard options.claims[name] == nil, options.claims.count < 64 else {
      throw UsageError("--claim: \(name) comes twice, or there are more than 64")
    }
    options.claims[name] = (try? JSON(parsing: Array(parts[1].utf8))) ?? .string(String(parts[1]))
  }
}
