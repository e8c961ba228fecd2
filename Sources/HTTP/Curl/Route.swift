internal import Crypto
internal import Encoding
internal import OAuth

/// A connection's target, trust and owner. Only requests with equal routes share a connection, so one account's trust
/// is never used for another.
struct Route: Equatable, Sendable {
  static let maximumPins = 16

  let origin: String
  let isPlainHTTP: Bool
  /// Authorities trusted in addition to the system's.
  let certificateAuthorities: CertificateAuthorities?
  /// As in ``Transport/pins``.
  let pins: [String]
  let proxy: ProxyRoute?
  /// The requests that may share the connection.
  let group: ConnectionGroup?
  let clientCertificate: ClientCertificate?

  /// - Throws: `setup` for a forbidden endpoint, malformed pin (a file name to libcurl) or malformed proxy.
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
    // A proxy is another machine; plain http is only for this one.
    guard let proxy = transport.proxy, !isPlainHTTP else { return nil }
    return try ProxyRoute(proxy, host: uri.host)
  }

  /// `sha256//` and the base64 SHA-256 hash of a public key.
  private static func isPin(_ text: String) -> Bool {
    let prefix = "sha256//"
    guard text.utf8.starts(with: prefix.utf8) else { return false }
    let hash = try? Base64.decode(String(text.dropFirst(prefix.count)))
    return hash?.count == Digest.sha256.byteCount
  }
}
