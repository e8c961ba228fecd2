import OAuth
import Platform
import TestSupport

@testable import Crypto

/// A device with one key, which is in this process, and its certificate.
final class PlayedDevice: KeyDevice {
  private struct State: Sendable {
    var signatures = 0
    var problem: CryptoError.Code?
    var isWaiting = false
    var mustWait = false
  }

  private let key: PrivateKey
  private let state = Monitor(State())

  init() throws(CryptoError) { key = try .generateEC(.p256) }

  var signatures: Int { state.withLock(\.signatures) }
  /// The error of signing, if it fails.
  var problem: CryptoError.Code? {
    get { state.withLock(\.problem) }
    set { state.withLock { $0.problem = newValue } }
  }

  /// Whether the device delays its responses.
  var mustWait: Bool {
    get { state.withLock(\.mustWait) }
    set { state.update { $0.mustWait = newValue } }
  }

  /// Waits until a caller waits for a response. Returns false after the time limit.
  func waitForWaiter() -> Bool { state.wait(.testLimit) { $0.isWaiting ? true : nil } ?? false }

  func certificate() throws -> ClientCertificate {
    let text = Array(
      ClientCertificate.text(try PrivateKey.make(in: self).selfSignedCertificate(name: "client", from: 0)).utf8)
    return try ClientCertificate(text.span, key: .make(in: self))
  }

  func makeKey() throws(CryptoError) -> TPM.Key { TPM.Key(serialized: [1], publicComponents: key.publicComponents) }

  func sign(digest: [UInt8], with _: TPM.Key) throws(CryptoError) -> [UInt8] {
    state.update { $0.isWaiting = $0.mustWait }
    _ = state.wait(.testLimit) { $0.mustWait ? nil : true }
    let problem = state.withLock { state in
      state.isWaiting = false
      state.signatures += 1
      return state.problem
    }
    if let problem { throw CryptoError(problem, "played") }
    return try ECDSASignature.decodeDER(try KeyContext(for: key.handle).sign(digest), curve: .p256)
  }
}
