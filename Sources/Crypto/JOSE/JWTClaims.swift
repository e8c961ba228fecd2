package import Encoding

/// The claims of a JWT (RFC 7519 section 4). Properties are nil if the claim is absent, and throw `invalidClaim` if it
/// has the wrong type. The caller checks the values.
package struct JWTClaims: Sendable {
  private let layout: JSONLayout
  private let payload: [UInt8]

  /// Parses a JSON object (RFC 7519 section 7.2). Throws `invalidPayload`, also for duplicate members or U+0000 in a
  /// name.
  package init(payload: [UInt8]) throws(JOSEError) {
    guard let layout = try? JSONLayout(parsing: payload), layout.root.kind == .object,
      !layout.root.hasName(with: 0)
    else { throw JOSEError(.invalidPayload) }
    self.layout = layout
    self.payload = payload
  }

  package var object: JSONObject { layout.root.value(in: payload.span).object ?? JSONObject() }

  /// Nil if absent or null (OpenID Connect Core section 13.3).
  package subscript(name: String) -> JSON? {
    layout.root[name].flatMap { $0.kind == .null ? nil : $0.value(in: payload.span) }
  }

  /// Parses a token that was verified before.
  package init(ofVerified compact: Span<UInt8>) throws(JOSEError) {
    try self.init(payload: CompactForm(compact).payload)
  }

  /// Appends a claim as compact JSON. Returns false if absent.
  package func append(_ name: String, to bytes: inout [UInt8]) -> Bool {
    guard let claim = layout.root[name] else { return false }
    claim.appendJSON(in: payload.span, to: &bytes)
    return true
  }

  /// Parses a token, with a signature or MAC, that only its recipient verifies, such as an assertion. Throws as
  /// ``UnverifiedJWS/init(compact:)`` and ``init(payload:)``.
  package init(ofSigned compact: Span<UInt8>) throws(JOSEError) {
    let form = try CompactForm(compact)
    let name = form.header.algorithmName
    guard JWSAlgorithm(name: name) != nil || MACAlgorithm(rawValue: name) != nil else {
      throw JOSEError(.algorithmNotAllowed)
    }
    try self.init(payload: form.payload)
  }

  package var issuer: String? { get throws(JOSEError) { try string("iss") } }
  package var subject: String? { get throws(JOSEError) { try string("sub") } }

  /// A string or an array of strings (RFC 7519 section 4.1.3). Throws if the array is empty.
  package var audience: [String]? {
    get throws(JOSEError) {
      guard let value = self["aud"] else { return nil }
      if value.string != nil { return try string("aud").map { [$0] } }
      guard let list = value.array, !list.isEmpty else { throw JOSEError(.invalidClaim) }
      let strings = list.compactMap(\.string)
      guard strings.count == list.count, !strings.contains(where: \.containsNUL) else { throw JOSEError(.invalidClaim) }
      return strings
    }
  }

  /// Unix seconds, rounded down.
  package var expiresAt: Int? { get throws(JOSEError) { try time("exp", .down) } }
  /// Unix seconds, rounded up.
  package var issuedAt: Int? { get throws(JOSEError) { try time("iat", .up) } }
  /// Unix seconds, rounded up.
  package var notBefore: Int? { get throws(JOSEError) { try time("nbf", .up) } }
  /// Unix seconds, rounded down (OpenID Connect Core section 2).
  package var authTime: Int? { get throws(JOSEError) { try time("auth_time", .down) } }

  /// A string claim without U+0000.
  package func string(_ name: String) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard let string = value.string, !string.containsNUL else { throw JOSEError(.invalidClaim) }
    return string
  }

  /// A NumericDate (RFC 7519 section 2) in Unix seconds, from 1970 to 9999. `rounding` must not extend the token's
  /// validity.
  package func time(_ name: String, _ rounding: FloatingPointRoundingRule) throws(JOSEError) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = value.number, number.text.utf8.first != UInt8(ascii: "-"),
      let seconds = number.rounded(rounding), seconds < 253_402_300_800
    else { throw JOSEError(.invalidClaim) }
    return seconds
  }
}
