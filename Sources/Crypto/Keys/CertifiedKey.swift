internal import COpenSSL

/// A private key with its certificate chain, for TLS.
package final class CertifiedKey: Sendable {
  /// In DER, starting with the key's own certificate.
  package let certificates: [[UInt8]]
  private let key: PrivateKey

  /// Throws `invalidKey` unless the first certificate matches the key.
  package init(_ key: borrowing PrivateKey, _ certificates: [Certificate]) throws(CryptoError) {
    guard let own = certificates.first, own.publicComponents == key.publicComponents else {
      throw CryptoError(.invalidKey, "certificate")
    }
    self.key = try key.copy()
    self.certificates = certificates.map(\.der)
  }

  package var isInDevice: Bool { key.isInDevice }

  /// Passes OpenSSL objects: the certificate (`X509`), the key (`EVP_PKEY`) and the rest of the chain
  /// (`STACK_OF(X509)`). Calls `observer` after each signature of a device key.
  package func withOpenSSLObjects<Result>(
    observer: @escaping SignatureObserver, _ body: (OpaquePointer, OpaquePointer, OpaquePointer) -> Result
  ) throws(CryptoError) -> Result {
    let handle = try key.signingHandle(observer)
    guard let chain = unsafe OPENSSL_sk_new_null() else { throw .library("OPENSSL_sk_new_null") }
    var objects = unsafe [OpaquePointer]()
    defer {
      for index in unsafe objects.indices { unsafe X509_free(objects[index]) }
      unsafe OPENSSL_sk_free(chain)
    }
    for der in certificates {
      let object = unsafe der.withUnsafeBufferPointer { buffer in
        var position = buffer.baseAddress
        return unsafe d2i_X509(nil, &position, buffer.count)
      }
      guard let object = unsafe object else { throw .library("d2i_X509", code: .invalidKey) }
      unsafe objects.append(object)
      if unsafe objects.count > 1 {
        guard unsafe OPENSSL_sk_push(chain, UnsafeRawPointer(object)) > 0 else { throw .library("OPENSSL_sk_push") }
      }
    }
    guard let own = unsafe objects.first else { throw CryptoError(.invalidKey, "certificate") }
    return unsafe body(own, handle.raw, chain)
  }
}
