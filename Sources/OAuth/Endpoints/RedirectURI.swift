internal import Encoding

/// A redirect URI (RFC 6749 section 3.1.2).
package struct RedirectURI: Sendable, Hashable {
  /// A loopback host (RFC 8252 section 7.3).
  package enum Host: String, Sendable {
    case ipv4 = "127.0.0.1"
    case ipv6 = "[::1]"
    /// Only for servers that require it: its address family is ambiguous (RFC 8252 section 8.3).
    case localhost
  }

  /// As registered. Without a port, any is allowed (RFC 8252 section 7.3).
  package let text: String
  /// Nil if the user must paste the response.
  package let loopbackHost: Host?
  package let port: UInt16?
  /// Empty or with leading "/".
  package let path: String

  /// Parses `http` to a ``Host``, or any `https` URL. Throws `insecureURL` for other schemes or `http` hosts, else
  /// `invalidURL`.
  package init(_ text: String) throws(OAuthError) {
    let subject = OAuthError.Subject.redirectURI
    guard let uri = try? URI(text), uri.query == nil, uri.fragment == nil, uri.port != 0 else {
      throw OAuthError(.invalidURL, subject)
    }
    loopbackHost = uri.hasScheme("http") ? Host(rawValue: uri.host.lowercased()) : nil
    guard loopbackHost != nil || uri.isHTTPS else { throw OAuthError(.insecureURL, subject) }
    if loopbackHost != nil, let port = uri.port, Self.isRefusedByBrowsers(port) {
      throw OAuthError(.invalidURL, subject)
    }
    self.text = text
    port = uri.port
    path = uri.path
  }

  /// Whether browsers refuse http to this port (WHATWG Fetch, section "Port blocking").
  package static func isRefusedByBrowsers(_ port: UInt16) -> Bool { refusedPorts.contains(port) }

  private static let refusedPorts: Set<UInt16> = [
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
    111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
    540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
    6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
  ]

  /// The default for clients not registered by hand. The path is unique to the issuer (RFC 8252 section 8.10, RFC 9700
  /// section 4.4.2), unless responses name it (RFC 9207).
  package init(standardFor issuer: Issuer, responsesNameIssuer: Bool) {
    self = responsesNameIssuer ? .callback : RedirectURI(.ipv4, path: Self.path(for: issuer))
  }

  /// The default for clients registered by hand.
  package static let callback = RedirectURI(.ipv4, path: "/callback")

  private init(_ host: Host, path: String, port: UInt16? = nil) {
    loopbackHost = host
    self.port = port
    self.path = path
    text = "http://\(host.rawValue)\(port.map { ":\($0)" } ?? "")\(path)"
  }

  /// Changes a loopback URI's host and port. Returns others unchanged.
  package func at(_ host: Host, port: UInt16? = nil) -> RedirectURI {
    loopbackHost == nil ? self : RedirectURI(host, path: path, port: port)
  }

  /// The URI to send, with the listening port if a loopback URI has none.
  package func text(port bound: UInt16) -> String {
    guard let loopbackHost, port == nil else { return text }
    return "http://\(loopbackHost.rawValue):\(bound)\(path)"
  }

  /// Such as `/id.example.org/realm`.
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
}

extension AuthorizationRequest {
  /// Reads a URL copied from the browser. Ignores its fragment.
  package func answer(inPasted url: String) -> AuthorizationResponse {
    let bytes = Array(url.utf8).trimming { $0 <= 0x20 }
    let mark = UInt8(ascii: "?")
    guard let start = bytes.firstIndex(of: mark), isOwn(bytes[..<start]) else { return .unrelated }
    let query = Array(bytes[(start + 1)...].prefix { $0 != UInt8(ascii: "#") })
    return answer(in: query.span)
  }

  /// Accepts the "/" that browsers add to an empty path (RFC 3986 section 6.2.3).
  private func isOwn(_ url: ArraySlice<UInt8>) -> Bool {
    if url.elementsEqual(redirectURI.utf8) { return true }
    guard let uri = try? URI(redirectURI), uri.path.isEmpty else { return false }
    return url.elementsEqual((redirectURI + "/").utf8)
  }
}
