internal import Encoding

/// An https URL without query and fragment (RFC 8414 section 2). Never normalized: metadata and ID Tokens must match it
/// byte by byte (section 3.3).
package struct Issuer: Sendable, Hashable {
  /// Leaves space for a well-known path.
  private static let maximumBytes = 1900

  package let text: String
  /// In bytes.
  private let pathLength: Int
  /// Whether to try OAuth metadata before OpenID's, as MCP requires.
  package var triesOAuthMetadataFirst = false

  /// Throws `insecureURL`, also for http to 127.0.0.1 or [::1] unless allowed, or `invalidIssuer`.
  package init(_ text: String, allowHTTPLoopback: Bool) throws(OAuthError) {
    guard text.utf8.count <= Self.maximumBytes, let uri = try? URI(text) else {
      throw OAuthError(.invalidIssuer, .issuer)
    }
    guard uri.isHTTPS || (allowHTTPLoopback && uri.isHTTPLoopback) else {
      var error = OAuthError(insecure: uri, .issuer)
      if error.advice != nil, uri.hasScheme("http") {
        (error.advice, error.intendedIssuer) = (nil, "https\(text.dropFirst(4))")
      }
      throw error
    }
    guard uri.query == nil, uri.fragment == nil else { throw OAuthError(.invalidIssuer, .issuer) }
    self.text = text
    pathLength = uri.path.utf8.count
  }

  /// The possible metadata URLs, in order (OpenID Connect Discovery 1.0 section 4, RFC 8414 sections 3.1 and 5).
  package var metadataLocations: [Endpoint] {
    let base = String(text.dropLast(pathLength))
    var path = String(text.suffix(pathLength))
    if path.hasSuffix("/") { path.removeLast() }
    var texts = [
      base + path + "/.well-known/openid-configuration",
      base + "/.well-known/oauth-authorization-server" + path,
    ]
    if !path.isEmpty { texts.append(base + "/.well-known/openid-configuration" + path) }
    if triesOAuthMetadataFirst { texts = Array(texts.dropFirst()) + [texts[0]] }
    return texts.compactMap { try? Endpoint($0, allowHTTPLoopback: true) }
  }

  package func isSame(as other: String) -> Bool { text.hasSameBytes(as: other) }

  /// Whether only a trailing slash, which is significant, differs.
  func differsBySlash(from other: String) -> Bool {
    "\(text)/".hasSameBytes(as: other) || "\(other)/".hasSameBytes(as: text)
  }

  /// The issuer of a metadata URL. Nil without a well-known path.
  package static func named(byMetadataAt url: String) -> String? {
    for suffix in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
      guard let start = url.utf8.indices.first(where: { url.utf8[$0...].starts(with: suffix.utf8) }) else { continue }
      let rest = url.utf8[start...].dropFirst(suffix.utf8.count)
      guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { continue }
      return String(decoding: Array(url.utf8[..<start]) + Array(rest), as: UTF8.self)
    }
    return nil
  }

  func isNamed(byClaim claim: String) -> Bool { Self.issClaim(claim, names: text) }

  /// Whether the claim is `issuer`, or omits its scheme as some providers do.
  package static func issClaim(_ claim: String, names issuer: String) -> Bool {
    if claim.hasSameBytes(as: issuer) { return true }
    return Provider.of(issuer: issuer)?.has(.issuerWithoutScheme) == true
      && "https://\(claim)".hasSameBytes(as: issuer)
  }

  package static func == (one: Issuer, other: Issuer) -> Bool { one.isSame(as: other.text) }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
