internal import CCurl
internal import CTLS
internal import Crypto
internal import OAuth

/// A handle's client certificate (RFC 8705), for the transfer's thread only.
final class PresentedCertificate: @unchecked Sendable {
  private var certificate: ClientCertificate?
  /// Whether a TLS connection to the proxy comes first.
  private var hasProxy = false
  /// TLS connections on the current socket.
  private var connections = 0
  /// Whether the thread may wait for a device.
  private var mayWait = false
  /// Why the certificate was not sent, if it was requested.
  private(set) var failure: (code: HTTPFailure.Code, problem: ConnectionProblem?)?

  /// Sets the certificate for the next transfer.
  func prepare(_ route: Route) {
    certificate = route.clientCertificate
    hasProxy = route.proxy?.isEncrypted ?? false
    failure = nil
  }

  /// Called before each new connection.
  func noteSocket() { connections = 0 }

  /// Runs `body`, in which the thread may wait for a device to sign. Later device signatures fail.
  func runAllowingWaits<Result, Problem: Error>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
    mayWait = true
    defer { mayWait = false }
    return try body()
  }

  /// Adds the certificate to a TLS connection, except the proxy's.
  func present(in context: OpaquePointer) -> CURLcode {
    connections += 1
    guard let certificate, connections == (hasProxy ? 2 : 1) else { return CURLE_OK }
    do throws(CryptoError) {
      let isSet = try unsafe certificate.key.withOpenSSLObjects(observer: { [self] in note($0) }) { own, key, chain in
        unsafe SSL_CTX_use_cert_and_key(context, own, key, chain, 1)
      }
      guard isSet == 1 else { return CURLE_SSL_CERTPROBLEM }
    } catch {
      return CURLE_OUT_OF_MEMORY
    }
    guard certificate.key.isInDevice else { return CURLE_OK }
    guard unsafe agent_tls_sign_with_p256(context) == 1 else { return CURLE_SSL_CERTPROBLEM }
    // The connection ends before this value is released.
    unsafe SSL_CTX_set_cert_cb(context, onCertificateRequest, Unmanaged.passUnretained(self).toOpaque())
    return CURLE_OK
  }

  /// Whether the device key can sign this handshake. Otherwise records the failure.
  fileprivate func checkCanSign(_ connection: OpaquePointer) -> Bool {
    if !mayWait {
      failure = (.tls, .clientKeyTooLate)
    } else if unsafe agent_tls_shared_algorithms(connection) < 1 {
      failure = (.tls, .clientKeyUnsuitable)
    }
    return failure == nil
  }

  private func note(_ error: CryptoError?) {
    guard let error else { return }
    failure = (error.code == .foreignKey ? .clientKeyForeign : .clientKeyUnavailable, nil)
  }
}

/// Called when a server requests the certificate.
private let onCertificateRequest: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = {
  connection, shown in
  guard let connection = unsafe connection, let shown = unsafe shown else { return 0 }
  return unsafe Unmanaged<PresentedCertificate>.fromOpaque(shown).takeUnretainedValue().checkCanSign(connection) ? 1 : 0
}
