internal import Crypto

/// The first bytes of a vault file. They never change while the vault exists, but for the version.
struct VaultHeader: Sendable, Hashable {
  /// The header as it is associated data of everything sealed: with ``VaultFormat/sealVersion``.
  let bytes: [UInt8]

  /// The header as files of this version begin.
  var encoded: [UInt8] { Self.start(of: VaultFormat.version) + bytes.dropFirst(Self.startLength) }

  /// The random number of this vault.
  var identifier: [UInt8] { Array(bytes.suffix(VaultFormat.identifierLength)) }

  /// The header of a new vault.
  static func new() throws(VaultError) -> VaultHeader {
    let identifier = try translated { () throws(CryptoError) in try Random.bytes(VaultFormat.identifierLength) }
    return VaultHeader(bytes: start(of: VaultFormat.sealVersion) + VaultFormat.algorithms + identifier)
  }

  /// Reads the header of a file, and the version of what follows.
  ///
  /// - Throws: `unsupportedVersion` for any version or algorithm but ours.
  static func read(from reader: inout ByteReader) throws(VaultError) -> (header: VaultHeader, version: UInt16) {
    guard try reader.take(VaultFormat.magic.count).elementsEqual(VaultFormat.magic) else { throw VaultError(.damaged) }
    let version = try reader.integer(UInt16.self)
    guard (VaultFormat.sealVersion...VaultFormat.version).contains(version),
      try reader.take(VaultFormat.algorithms.count).elementsEqual(VaultFormat.algorithms)
    else { throw VaultError(.unsupportedVersion) }
    _ = try reader.take(VaultFormat.identifierLength)
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
