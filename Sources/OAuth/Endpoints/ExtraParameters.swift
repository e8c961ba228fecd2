package import Encoding

/// An account's additional parameters for (device) authorization requests.
package struct ExtraParameters: Sendable, Hashable {
  static let maximumCount = 32
  static let maximumNameBytes = 64

  private var pairs: [Pair] = []
  private var claims: RequestedClaims?
  private var authorizationDetails: AuthorizationDetails?

  private struct Pair: Sendable, Hashable {
    let name: String
    let value: String
  }

  package enum Problem: Error, Sendable, Hashable {
    /// Not `NAME=VALUE`, or an invalid parameter name (RFC 6749 appendix A).
    case malformed
    /// The named parameter is set by this program or would change the request's meaning.
    case reserved(String)
    case repeated(String)
    case tooMany
    /// `claims` is not a JSON object (OpenID Connect Core section 5.5).
    case claims
    /// `authorization_details` is no array of objects with a `type` (RFC 9396 section 2).
    case authorizationDetails
  }

  package init() {}

  /// `parameters` are `NAME=VALUE`; `claims` (OpenID Connect Core section 5.5) and `authorizationDetails` (RFC 9396)
  /// are JSON. `provider`'s parameters are reserved.
  package init(
    parameters: [String], claims: String?, authorizationDetails: String?, provider: Provider?
  ) throws(Problem) {
    guard parameters.count <= Self.maximumCount else { throw .tooMany }
    for text in parameters {
      let pair = try Self.pair(text, provider)
      if pairs.contains(where: { $0.name == pair.name }) { throw .repeated(pair.name) }
      pairs.append(pair)
    }
    if let text = claims {
      guard let claims = RequestedClaims(text) else { throw .claims }
      self.claims = claims
    }
    if let text = authorizationDetails {
      guard let details = AuthorizationDetails(text) else { throw .authorizationDetails }
      self.authorizationDetails = details
    }
  }

  /// `challenged` are the claims that a resource requires.
  func parameters(adding challenged: RequestedClaims? = nil) -> [(name: String, value: String)] {
    var all = pairs.map { (name: $0.name, value: $0.value) }
    if let claims = claims?.adding(challenged) ?? challenged {
      all.append((RequestParameter.claims.rawValue, claims.text))
    }
    if let authorizationDetails {
      all.append((RequestParameter.authorizationDetails.rawValue, authorizationDetails.text))
    }
    return all
  }

  private static func pair(_ text: String, _ provider: Provider?) throws(Problem) -> Pair {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { throw .malformed }
    let (name, value) = (String(text[..<end]), String(text[text.utf8.index(after: end)...]))
    guard (1...maximumNameBytes).contains(name.utf8.count), name.utf8.allSatisfy(isNameByte), !value.isEmpty,
      value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { throw .malformed }
    // Some servers ignore case.
    let word = name.lowercased()
    let isProviders = provider?.authorizationParameters.contains { $0.name.lowercased() == word } ?? false
    guard !isProviders, !isReserved(word) else { throw .reserved(name) }
    return Pair(name: name, value: value)
  }

  /// See RFC 6749 appendix A.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "-._".utf8.contains(byte)
  }

  /// Whether accounts may not set this lowercase parameter.
  private static func isReserved(_ word: String) -> Bool {
    RequestParameter.allCases.contains { $0.rawValue == word }
      || ["request", "response_mode", "registration"].contains(word) || word.hasPrefix("client_")
      || word.hasPrefix("code_challenge")
  }
}

/// The requested or granted permissions (RFC 9396 section 2).
package struct AuthorizationDetails: Sendable, Hashable {
  /// Applies to requests.
  static let maximumBytes = 4096
  /// Applies to responses.
  static let maximumGrantedBytes = 16_384

  package let json: JSON

  /// Nil if too long, or not a JSON array of objects with a `type`.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes, let json = try? JSON(parsing: Array(text.utf8)) else { return nil }
    self.init(json)
  }

  package init?(_ json: JSON) {
    let areNamed = json.array?.allSatisfy { $0["type"]?.string.map { !$0.isEmpty } ?? false } ?? false
    guard areNamed, json.serialized().count <= Self.maximumGrantedBytes else { return nil }
    self.json = json
  }

  var text: String { String(decoding: json.serialized(), as: UTF8.self) }
}
