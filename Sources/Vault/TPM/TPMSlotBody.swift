internal import Crypto

/// The body of a TPM slot. In the file:
///
/// ```text
/// 16  derived from the device secret, machine and user: detects another machine's slot without the TPM
/// 16  salt of the PIN
/// 64  the public half of the TPM's key, x and y
/// 64  the public half of the key generated for this slot, x and y
/// 60  the wrapped key
///     the TPM's key as TSS2 PRIVATE KEY, to the end
/// ```
struct TPMSlotBody: Sendable {
  static let deviceTagLength = 16
  static let saltLength = 16
  private static let pointLength = 64

  /// Identifies the device secret, the machine and the user.
  let deviceTag: [UInt8]
  let salt: [UInt8]
  /// The TPM's public key, x and y.
  let tpmPoint: [UInt8]
  /// The public key generated for this slot, x and y.
  let ownPoint: [UInt8]
  let wrapped: [UInt8]
  /// The TPM's key as TSS2 PRIVATE KEY.
  let key: [UInt8]
}

extension TPMSlotBody {
  init(_ bytes: [UInt8]) throws(VaultError) {
    var reader = ByteReader(bytes)
    deviceTag = Array(try reader.readBytes(Self.deviceTagLength))
    salt = Array(try reader.readBytes(Self.saltLength))
    tpmPoint = Array(try reader.readBytes(Self.pointLength))
    ownPoint = Array(try reader.readBytes(Self.pointLength))
    wrapped = Array(try reader.readBytes(WrappedKey.length))
    let length = bytes.count - reader.offset
    guard (1...TPM.maximumKeyLength).contains(length) else { throw VaultError(.damaged) }
    key = Array(try reader.readBytes(length))
  }

  var bytes: [UInt8] { deviceTag + salt + tpmPoint + ownPoint + wrapped + key }

  var tpmComponents: PublicComponents { Self.components(tpmPoint) }
  var ownComponents: PublicComponents { Self.components(ownPoint) }

  /// The coordinates x and y of a public key on P-256.
  static func point(_ components: PublicComponents) throws(VaultError) -> [UInt8] {
    guard case .ec(.p256, let x, let y) = components else { throw VaultError(.cryptoFailure) }
    return x + y
  }

  private static func components(_ point: [UInt8]) -> PublicComponents {
    .ec(curve: .p256, x: Array(point.prefix(pointLength / 2)), y: Array(point.suffix(pointLength / 2)))
  }
}
