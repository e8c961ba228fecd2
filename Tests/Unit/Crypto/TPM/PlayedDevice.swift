import Platform

@testable import Crypto

/// A device whose key is in this process.
final class PlayedDevice: KeyDevice {
  private struct State: Sendable {
    var digests: [[UInt8]] = []
    var problem: CryptoError.Code?
  }

  private let key: PrivateKey
  private let state = Monitor(State())

  init() throws(CryptoError) { key = try .generateEC(.p256) }

  var digests: [[UInt8]] { state.withLock(\.digests) }
  /// Why signing fails, if it does.
  var problem: CryptoError.Code? {
    get { state.withLock(\.problem) }
    set { state.withLock { $0.problem = newValue } }
  }

  func makeKey() throws(CryptoError) -> TPM.Key { TPM.Key(serialized: [1], publicComponents: key.publicComponents) }

  func sign(digest: [UInt8], with _: TPM.Key) throws(CryptoError) -> [UInt8] {
    if let problem { throw CryptoError(problem, "played") }
    state.withLock { $0.digests.append(digest) }
    return try ECDSASignature.decodeDER(try KeyContext(for: key.handle).sign(digest), curve: .p256)
  }
}
