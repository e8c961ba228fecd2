internal import Encoding
internal import Vocabulary

/// An issuer identifier: an https URL without query and fragment (RFC 8414 section 2).
///
/// It is kept exactly as configured. Nothing is lower-cased or cleaned up, because it is compared byte by
/// byte with metadata and ID Tokens (RFC 8414 section 3.3).
package struct Issuer: Sendable {
  /// Leaves room for a well-known path within the longest URL we accept.
  private static let longest = 1900

  package let text: String
  private let pathLength: Int
  /// The OAuth document is looked for before the OpenID one, as clients of resources do (Model Context Protocol,
  /// authorization).
  package var looksForOAuthFirst = false

  /// - Parameter allowHTTPLoopback: Accept plain http to 127.0.0.1 or [::1] too.
  /// - Throws: `insecureURL`, or `invalidIssuer` for anything else that is wrong.
  package init(_ text: String, allowHTTPLoopback: Bool) throws(OAuthError) {
    guard text.utf8.count <= Self.longest, let uri = try? URI(text) else {
      throw OAuthError(.invalidIssuer, .issuer)
    }
    guard uri.isHTTPS || (allowHTTPLoopback && uri.isHTTPLoopback) else {
      throw OAuthError(insecure: uri, .issuer, allowHTTPLoopback: allowHTTPLoopback)
    }
    guard uri.query == nil, uri.fragment == nil else { throw OAuthError(.invalidIssuer, .issuer) }
    self.text = text
    pathLength = uri.path.utf8.count
  }

  /// Where the metadata may be, in the order to try: OpenID Connect Discovery 1.0 section 4, RFC 8414
  /// section 3.1, and the OpenID document at the RFC 8414 place (RFC 8414 section 5).
  package var metadataLocations: [Endpoint] {
    let base = String(text.dropLast(pathLength))
    var path = String(text.suffix(pathLength))
    if path.hasSuffix("/") { path.removeLast() }
    var texts = [
      base + path + "/.well-known/openid-configuration",
      base + "/.well-known/oauth-authorization-server" + path,
    ]
    if !path.isEmpty { texts.append(base + "/.well-known/openid-configuration" + path) }
    if looksForOAuthFirst { texts = Array(texts.dropFirst()) + [texts[0]] }
    // A loopback issuer was opted in when it was made.
    return texts.compactMap { try? Endpoint($0, allowHTTPLoopback: true) }
  }

  /// Whether `other` is this issuer, byte by byte.
  package func isSame(as other: String) -> Bool { text.utf8.elementsEqual(other.utf8) }

  /// Whether `other` is this issuer but for a slash at the end, which counts.
  func differsBySlash(from other: String) -> Bool {
    "\(text)/".utf8.elementsEqual(other.utf8) || "\(other)/".utf8.elementsEqual(text.utf8)
  }

  /// The issuer whose metadata are at this URL, as a person pastes it; nil for a URL that is no such place.
  package static func named(byMetadataAt url: String) -> String? {
    for suffix in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
      guard let start = url.utf8.indices.first(where: { url.utf8[$0...].starts(with: suffix.utf8) }) else { continue }
      let rest = url.utf8[start...].dropFirst(suffix.utf8.count)
      guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { continue }
      return String(decoding: Array(url.utf8[..<start]) + Array(rest), as: UTF8.self)
    }
    return nil
  }

  /// Whether `iss` of a token names this issuer.
  func isNamed(by claim: String) -> Bool { Self.isName(claim, of: text) }

  /// Whether `iss` of a token names the issuer: it is the same text, or where the provider leaves out the scheme, all
  /// but the scheme.
  package static func isName(_ claim: String, of issuer: String) -> Bool {
    if claim.utf8.elementsEqual(issuer.utf8) { return true }
    return Provider.of(issuer: issuer)?.has(.issuerWithoutScheme) == true
      && "https://\(claim)".utf8.elementsEqual(issuer.utf8)
  }
}

/// Issuers are compared byte by byte (RFC 8414 section 3.3), whichever way their metadata are looked for.
extension Issuer: Hashable {
  package static func == (one: Issuer, other: Issuer) -> Bool { one.isSame(as: other.text) }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
