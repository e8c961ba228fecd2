internal import Crypto
internal import Encoding
internal import OAuth

/// Where a connection leads and what makes it trusted.
///
/// Two requests may share a connection only when their routes are equal: what one account trusts never
/// serves another.
struct Route: Equatable, Sendable {
  /// More pins than this are a mistake.
  static let maxPins = 16

  /// Scheme, host and port.
  let origin: String
  let isPlain: Bool
  /// Trusted beside the system's own.
  let certificateAuthorities: CertificateAuthorities?
  let pins: [String]
  let proxy: ProxyRoute?
  /// What is shown in the handshake, so that a connection made with it serves nobody else.
  let clientCertificate: ClientCertificate?

  /// - Throws: `setup` when the transport does not allow the endpoint, or has a pin or a proxy that is
  ///   malformed. A pin that the library did not understand would be taken for the name of a file.
  init(to endpoint: Endpoint, by transport: Transport) throws(HTTPFailure) {
    let uri = endpoint.uri
    let isPlain = uri.isHTTPLoopback && transport.allowHTTPLoopback
    guard uri.isHTTPS || isPlain else { throw HTTPFailure(.setup) }
    guard transport.pins.count <= Self.maxPins, transport.pins.allSatisfy(Self.isPin) else {
      throw HTTPFailure(.setup)
    }
    origin = uri.origin
    self.isPlain = isPlain
    certificateAuthorities = transport.certificateAuthorities
    pins = transport.pins
    // Plain http has no handshake to show it in.
    clientCertificate = isPlain ? nil : transport.clientCertificate
    proxy = try Self.proxy(of: transport, for: uri, isPlain: isPlain)
  }

  private static func proxy(of transport: Transport, for uri: URI, isPlain: Bool) throws(HTTPFailure) -> ProxyRoute? {
    // A proxy is another machine, and plain http is for this one only.
    guard let proxy = transport.proxy, !isPlain else { return nil }
    return try ProxyRoute(proxy, host: uri.host)
  }

  /// Whether `text` is `sha256//` and the SHA-256 of a public key in base64.
  private static func isPin(_ text: String) -> Bool {
    let prefix = "sha256//"
    guard text.utf8.starts(with: prefix.utf8) else { return false }
    let hash = try? Base64.decode(String(text.dropFirst(prefix.count)))
    return hash?.count == Digest.sha256.byteCount
  }
}
