internal import Crypto

/// The first bytes of a vault file. Only the version ever changes.
struct VaultHeader: Sendable, Hashable {
  /// The header as associated data, with ``VaultFormat/sealVersion``.
  let bytes: [UInt8]

  /// As in a file.
  var encoded: [UInt8] { Self.start(of: VaultFormat.version) + bytes.dropFirst(Self.startLength) }

  var identifier: [UInt8] { Array(bytes.suffix(VaultFormat.identifierLength)) }

  static func new() throws(VaultError) -> VaultHeader {
    let identifier = try mapCryptoError { () throws(CryptoError) in try Random.bytes(VaultFormat.identifierLength) }
    return VaultHeader(bytes: start(of: VaultFormat.sealVersion) + VaultFormat.algorithms + identifier)
  }

  /// Reads a header and the file's version. Throws `unsupportedVersion`, also for an unsupported algorithm.
  static func read(from reader: inout ByteReader) throws(VaultError) -> (header: VaultHeader, version: UInt16) {
    guard try reader.readBytes(VaultFormat.magic.count).elementsEqual(VaultFormat.magic) else {
      throw VaultError(.damaged)
    }
    let version = try reader.readInteger(UInt16.self)
    guard (VaultFormat.sealVersion...VaultFormat.version).contains(version),
      try reader.readBytes(VaultFormat.algorithms.count).elementsEqual(VaultFormat.algorithms)
    else { throw VaultError(.unsupportedVersion) }
    _ = try reader.readBytes(VaultFormat.identifierLength)
    let rest = reader.consumed.dropFirst(startLength)
    return (VaultHeader(bytes: start(of: VaultFormat.sealVersion) + rest), version)
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private static let startLength = VaultFormat.magic.count + 2

  private static func start(of version: UInt16) -> [UInt8] {
    var bytes = VaultFormat.magic
    bytes.append(bigEndian: version)
    return bytes
  }
}
