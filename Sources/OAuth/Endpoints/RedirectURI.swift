internal import Encoding

/// Where the browser brings the answer of a sign-in, as it is registered at the authorization server.
package struct RedirectURI: Sendable, Hashable {
  /// An address of this machine (RFC 8252 section 7.3).
  package enum Host: Sendable, Hashable {
    case ipv4, ipv6
    /// A name, and only for servers that know no better: it may mean either address (RFC 8252 section 8.3).
    case localhost
  }

  /// Byte for byte as it is registered. Without a port it stands for any port (RFC 8252 section 7.3).
  package let text: String
  /// nil when no browser can bring the answer to this machine, so that it must be pasted.
  package let loopbackHost: Host?
  package let port: UInt16?
  /// Empty, or from "/" on.
  package let path: String

  /// Reads a redirect URI that a person names: `http` to `127.0.0.1`, `[::1]` or `localhost`, or any `https`.
  ///
  /// - Throws: `insecureURL` for `http` to somewhere else; `invalidURL` for anything else that is wrong, such as
  ///   a query, which no answer could be told apart from.
  package init(_ text: String) throws(OAuthError) {
    let subject = OAuthError.Subject.redirectURI
    guard let uri = try? URI(text), uri.query == nil, uri.fragment == nil, uri.port != 0 else {
      throw OAuthError(.invalidURL, subject)
    }
    loopbackHost = uri.hasScheme("http") ? Self.host(uri.host) : nil
    guard loopbackHost != nil || uri.isHTTPS else { throw OAuthError(.insecureURL, subject) }
    self.text = text
    port = uri.port
    path = uri.path
  }

  /// The default where none is registered by hand: any port, and a path that people can register where each answer
  /// says which issuer it is from (RFC 9207). Elsewhere the path is one that no other issuer has, which shows the same
  /// (RFC 8252 section 8.10, RFC 9700 section 4.4.2).
  package init(standardFor issuer: Issuer, answersNameIssuer: Bool) {
    self = answersNameIssuer ? .callback : RedirectURI(.ipv4, path: Self.path(for: issuer))
  }

  /// Any port, and a path that people can register.
  package static let callback = RedirectURI(.ipv4, path: "/callback")

  private init(_ host: Host, path: String, port: UInt16? = nil) {
    loopbackHost = host
    self.port = port
    self.path = path
    text = "http://\(Self.name(host))\(port.map { ":\($0)" } ?? "")\(path)"
  }

  /// The same by IPv6, or at a port, for one at a loopback address.
  package func at(_ host: Host, port: UInt16? = nil) -> RedirectURI {
    loopbackHost == nil ? self : RedirectURI(host, path: path, port: port)
  }

  /// The redirect URI with the port that is listened at.
  package func text(port bound: UInt16) -> String {
    guard let loopbackHost, port == nil else { return text }
    return "http://\(Self.name(loopbackHost)):\(bound)\(path)"
  }

  /// The issuer without its scheme, in the characters of a path: `/id.example.org/realm`.
  private static func path(for issuer: Issuer) -> String {
    var rest = Substring(issuer.text)
    for scheme in ["https://", "http://"] where rest.lowercased().hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
    }
    return "/"
      + rest.utf8.map { byte in
        switch byte {
        case UInt8(ascii: "["): "%5B"
        case UInt8(ascii: "]"): "%5D"
        default: String(UnicodeScalar(byte))
        }
      }.joined()
  }

  private static func host(_ text: String) -> Host? {
    switch text.lowercased() {
    case "127.0.0.1": .ipv4
    case "[::1]": .ipv6
    case "localhost": .localhost
    default: nil
    }
  }

  /// As a URL spells it.
  package static func name(_ host: Host) -> String {
    switch host {
    case .ipv4: "127.0.0.1"
    case .ipv6: "[::1]"
    case .localhost: "localhost"
    }
  }
}

extension AuthorizationRequest {
  /// Judges a whole redirect URL that a person copied from the browser.
  ///
  /// It must be the redirect URI and a query. A fragment is a browser's or a server's addition and is left out.
  package func answer(inPasted url: String) -> AuthorizationAnswer {
    let bytes = Array(url.utf8).trimmingSpace
    let mark = UInt8(ascii: "?")
    guard let start = bytes.firstIndex(of: mark), isOurPlace(bytes[..<start]) else { return .foreign }
    let query = Array(bytes[(start + 1)...].prefix { $0 != UInt8(ascii: "#") })
    return answer(in: query.span)
  }

  /// A browser adds the "/" that an empty path means (RFC 3986 section 6.2.3).
  private func isOurPlace(_ place: ArraySlice<UInt8>) -> Bool {
    if place.elementsEqual(redirectURI.utf8) { return true }
    guard let uri = try? URI(redirectURI), uri.path.isEmpty else { return false }
    return place.elementsEqual((redirectURI + "/").utf8)
  }
}

extension [UInt8] {
  fileprivate var trimmingSpace: ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte <= 0x20 }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return []
    }
    return self[first...last]
  }
}
