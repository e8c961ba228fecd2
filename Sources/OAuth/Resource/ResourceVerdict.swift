package import Crypto
internal import Encoding

/// Whether and why a response rejects the token or URL (RFC 6750 section 3.1, RFC 9470 section 3).
package enum ResourceVerdict: Sendable, Hashable {
  /// The response rejects neither.
  case none
  /// The token was rejected. A new one, with these scopes if any, may be accepted (RFC 6750 section 3).
  case refused(scopes: [String])
  /// The DPoP proof was rejected (RFC 9449 section 9); the token may be valid.
  case proofRefused
  /// The token lacks these scopes, if named. A refresh does not help.
  case insufficientScope([String])
  /// The token lacks these claims, if named. Request them in a refresh.
  case insufficientClaims(RequestedClaims?)
  /// The user must sign in again, by one of these methods and this recently, if specified.
  case insufficientAuthentication(acrValues: [String], maxAgeSeconds: Int?)
  /// The resource has moved (RFC 9110 section 15.4). The URL has no query and fragment, which may contain tokens. Nil
  /// if it contains a secret.
  case redirected(to: String?)

  /// Omits text that repeats part of a secret in `sent`.
  package init(_ head: ResourceHead, sent: [SharedSecret]) {
    guard head.status == 401 || head.status == 403 else {
      let location = (300..<400).contains(head.status) ? head.headers["Location"] : nil
      self = location.map { .redirected(to: Self.target(in: $0, sent)) } ?? .none
      return
    }
    let challenges = Challenge.all(in: head.headers).filter { Self.schemes.contains($0.scheme) }
    let challenge = challenges.first { $0["error"] != nil } ?? challenges.first
    let text = { (name: String) in challenge?[name].flatMap { Self.isHarmless($0, sent) ? $0 : nil } }
    switch challenge?["error"] {
    case "insufficient_user_authentication":
      self = .insufficientAuthentication(
        acrValues: Self.words(text("acr_values")), maxAgeSeconds: Self.seconds(text("max_age")))
    case "insufficient_claims":
      let claims = challenge?["claims"].flatMap { RequestedClaims(challenge: $0) }
      self = .insufficientClaims(claims.flatMap { Self.isHarmless($0.text, sent) ? $0 : nil })
    case "insufficient_scope": self = .insufficientScope(Self.words(text("scope")))
    case "use_dpop_nonce", "invalid_dpop_proof": self = head.status == 401 ? .proofRefused : .none
    default: self = head.status == 401 ? .refused(scopes: Self.words(text("scope"))) : .none
    }
  }

  private static func target(in location: String, _ sent: [SharedSecret]) -> String? {
    let prefix = location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let text = String(Substring(prefix))
    return isHarmless(text, sent) ? TerminalText.clean(text) : nil
  }

  private static func isHarmless(_ text: String, _ sent: [SharedSecret]) -> Bool {
    text.utf8.count <= maximumTextBytes && !SecretEcho.isFound(in: text, sent, limit: maximumTextBytes)
  }

  /// In bytes. Longer text is omitted, since not searched for secrets.
  private static let maximumTextBytes = 8192

  private static let schemes = ["bearer", "dpop"]
  /// Limits scopes and `acr` values.
  private static let maximumWords = 32

  private static func words(_ text: String?) -> [String] {
    (text ?? "").utf8.split(separator: 0x20).prefix(maximumWords).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func seconds(_ text: String?) -> Int? {
    guard let text, (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int(text)
  }
}
