package import Encoding

/// The claims of a JWT (RFC 7519 section 4). This type checks their types; the caller checks their meaning.
///
/// Each property is nil when the claim is absent and throws `invalidClaim` when it has the wrong type.
package struct JWTClaims: Sendable {
  private let layout: JSONLayout
  private let payload: [UInt8]

  /// Reads the claims.
  ///
  /// - Parameter payload: The payload of a token: a JSON object (RFC 7519 section 7.2).
  /// - Throws: `invalidPayload` for anything else, for a member twice, for U+0000 in a name.
  package init(payload: [UInt8]) throws(JOSEError) {
    guard let layout = try? JSONLayout(parsing: payload), layout.root.kind == .object,
      !layout.root.hasName(with: 0)
    else { throw JOSEError(.invalidPayload) }
    self.layout = layout
    self.payload = payload
  }

  /// All claims.
  package var object: JSONObject { layout.root.value(in: payload.span).object ?? JSONObject() }

  /// One claim; nil when it is absent, or null, as OpenID Connect Core 1.0 section 13.3 has claims without a value left
  /// out. The others are not looked at.
  package subscript(name: String) -> JSON? {
    layout.root[name].flatMap { $0.kind == .null ? nil : $0.value(in: payload.span) }
  }

  /// Reads the claims of a token that was verified before.
  ///
  /// - Parameter compact: As it was verified.
  package init(ofVerified compact: Span<UInt8>) throws(JOSEError) {
    try self.init(payload: CompactForm(compact).payload)
  }

  /// Writes one claim as a compact JSON text; false, and nothing is written, when it is absent.
  package func append(_ name: String, to bytes: inout [UInt8]) -> Bool {
    guard let claim = layout.root[name] else { return false }
    claim.appendJSON(in: payload.span, to: &bytes)
    return true
  }

  /// Reads the claims of a token that its recipient verifies, such as an assertion.
  ///
  /// - Parameter compact: A token that is signed by a key or under a shared secret.
  /// - Throws: As ``UnverifiedJWS/init(compact:)``, and as ``init(payload:)``.
  package init(ofSigned compact: Span<UInt8>) throws(JOSEError) {
    let form = try CompactForm(compact)
    let name = form.header.algorithmName
    guard JWSAlgorithm(name: name) != nil || MACAlgorithm(name: name) != nil else {
      throw JOSEError(.algorithmNotAllowed)
    }
    try self.init(payload: form.payload)
  }

  /// `iss` (RFC 7519 section 4.1.1).
  package var issuer: String? { get throws(JOSEError) { try string("iss") } }
  /// `sub` (RFC 7519 section 4.1.2).
  package var subject: String? { get throws(JOSEError) { try string("sub") } }

  /// `aud`, a string or an array of strings (RFC 7519 section 4.1.3). An empty array is an error.
  package var audience: [String]? {
    get throws(JOSEError) {
      guard let value = self["aud"] else { return nil }
      if value.string != nil { return try string("aud").map { [$0] } }
      guard let list = value.array, !list.isEmpty else { throw JOSEError(.invalidClaim) }
      let strings = list.compactMap(\.string)
      guard strings.count == list.count, !strings.contains(where: \.holdsNUL) else { throw JOSEError(.invalidClaim) }
      return strings
    }
  }

  /// `exp` in seconds since 1970, a fraction cut off (RFC 7519 section 4.1.4).
  package var expiresAt: Int? { get throws(JOSEError) { try time("exp", .down) } }
  /// `iat` in seconds since 1970, a fraction counted as a whole second (RFC 7519 section 4.1.6).
  package var issuedAt: Int? { get throws(JOSEError) { try time("iat", .up) } }
  /// `nbf` in seconds since 1970, a fraction counted as a whole second (RFC 7519 section 4.1.5).
  package var notBefore: Int? { get throws(JOSEError) { try time("nbf", .up) } }
  /// `auth_time` in seconds since 1970, a fraction cut off (OpenID Connect Core 1.0 section 2).
  package var authTime: Int? { get throws(JOSEError) { try time("auth_time", .down) } }

  /// A claim that must be a string without U+0000.
  package func string(_ name: String) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard let string = value.string, !string.holdsNUL else { throw JOSEError(.invalidClaim) }
    return string
  }

  /// A claim that must be a NumericDate (RFC 7519 section 2): a JSON number from 1970 to the year 9999.
  ///
  /// Callers round so that a token is never valid longer than it says.
  package func time(_ name: String, _ rounding: FloatingPointRoundingRule) throws(JOSEError) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = value.number, number.text.utf8.first != UInt8(ascii: "-"),
      let seconds = number.rounded(rounding), seconds < 253_402_300_800
    else { throw JOSEError(.invalidClaim) }
    return seconds
  }
}
