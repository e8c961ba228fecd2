internal import CCurl
internal import CTLS
internal import Crypto
internal import OAuth
internal import Vocabulary

/// The client certificate that a handle's connections show in the TLS handshake (RFC 8705), and why one did not.
///
/// Only the thread that runs the handle's transfer uses it: a key of a device signs on that thread.
final class ShownCertificate: @unchecked Sendable {
  private var certificate: ClientCertificate?
  /// Whether a TLS connection to the proxy comes before that to the server.
  private var hasProxy = false
  /// The number of TLS connections over the last socket.
  private var connections = 0
  /// Whether the thread runs this transfer alone, so that it may wait for a device.
  private var mayWait = false
  private(set) var failure: (code: HTTPFailure.Code, problem: ConnectionProblem?)?

  func prepare(_ route: Route) {
    certificate = route.clientCertificate
    hasProxy = route.proxy?.isEncrypted ?? false
    failure = nil
  }

  /// A new socket is connected.
  func noteSocket() { connections = 0 }

  /// Runs a transfer on the thread of its caller, which alone waits when a device signs. A server may ask for the
  /// certificate later too, while a thread waits for many answers.
  func lend<Result, Problem: Error>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
    mayWait = true
    defer { mayWait = false }
    return try body()
  }

  /// Has the connection that is made with `context` show the certificate, if it is the one to the server.
  func show(in context: OpaquePointer) -> CURLcode {
    connections += 1
    guard let certificate, connections == (hasProxy ? 2 : 1) else { return CURLE_OK }
    do throws(CryptoError) {
      let isSet = try unsafe certificate.key.lend(observer: { [self] in note($0) }) { own, key, chain in
        unsafe SSL_CTX_use_cert_and_key(context, own, key, chain, 1)
      }
      guard isSet == 1 else { return CURLE_SSL_CERTPROBLEM }
    } catch {
      return CURLE_OUT_OF_MEMORY
    }
    guard certificate.key.isHeld else { return CURLE_OK }
    guard unsafe agent_tls_sign_with_p256(context) == 1 else { return CURLE_SSL_CERTPROBLEM }
    // The connection ends before this value does.
    unsafe SSL_CTX_set_cert_cb(context, mayAskDevice, Unmanaged.passUnretained(self).toOpaque())
    return CURLE_OK
  }

  /// Whether the handshake may go on to a signature of the device.
  fileprivate func mayAsk(_ connection: OpaquePointer) -> Bool {
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

/// Called when a server asks for the certificate.
private let mayAskDevice: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { connection, shown in
  guard let connection = unsafe connection, let shown = unsafe shown else { return 0 }
  return unsafe Unmanaged<ShownCertificate>.fromOpaque(shown).takeUnretainedValue().mayAsk(connection) ? 1 : 0
}
