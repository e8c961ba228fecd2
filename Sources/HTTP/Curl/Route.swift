internal import Crypto
internal import Encoding
internal import OAuth

/// A connection's target, its trust, and the owner of its requests. Only requests with equal routes may share a
/// connection, so that one account's trust is never used for another.
struct Route: Equatable, Sendable {
  static let maximumPins = 16

  /// The server's scheme, host and port.
  let origin: String
  let isPlainHTTP: Bool
  /// Authorities trusted in addition to the system's.
  let certificateAuthorities: CertificateAuthorities?
  /// The pinned public keys, as in ``Transport/pins``.
  let pins: [String]
  let proxy: ProxyRoute?
  /// The requests that may share the connection.
  let group: ConnectionGroup?
  let clientCertificate: ClientCertificate?

  /// - Throws: `setup` if the transport does not allow the endpoint, or has a malformed pin or proxy. libcurl would
  ///   interpret a malformed pin as a file name.
  init(to endpoint: Endpoint, by transport: Transport) throws(HTTPFailure) {
    let uri = endpoint.uri
    let isPlainHTTP = uri.isHTTPLoopback && transport.allowHTTPLoopback
    guard uri.isHTTPS || isPlainHTTP else { throw HTTPFailure(.setup) }
    guard transport.pins.count <= Self.maximumPins, transport.pins.allSatisfy(Self.isPin) else {
      throw HTTPFailure(.setup)
    }
    origin = uri.origin
    self.isPlainHTTP = isPlainHTTP
    certificateAuthorities = transport.certificateAuthorities
    pins = transport.pins
    group = transport.connectionGroup
    // Plain http has no handshake.
    clientCertificate = isPlainHTTP ? nil : transport.clientCertificate
    proxy = try Self.proxy(of: transport, for: uri, isPlainHTTP: isPlainHTTP)
  }

  private static func proxy(of transport: Transport, for uri: URI, isPlainHTTP: Bool) throws(HTTPFailure) -> ProxyRoute?
  {
    // A proxy is another machine, but plain http is only for this one.
    guard let proxy = transport.proxy, !isPlainHTTP else { return nil }
    return try ProxyRoute(proxy, host: uri.host)
  }

  /// Whether `text` is `sha256//` and the SHA-256 hash of a public key in base64.
  private static func isPin(_ text: String) -> Bool {
    let prefix = "sha256//"
    guard text.utf8.starts(with: prefix.utf8) else { return false }
    let hash = try? Base64.decode(String(text.dropFirst(prefix.count)))
    return hash?.count == Digest.sha256.byteCount
  }
}
