internal import Crypto

/// The first bytes of a vault file. They never change while the vault exists.
struct VaultHeader: Sendable, Hashable {
  /// Exactly the bytes in the file: associated data of everything sealed.
  let bytes: [UInt8]

  /// The random number of this vault.
  var identifier: [UInt8] { Array(bytes.suffix(VaultFormat.identifierLength)) }

  /// The header of a new vault.
  static func new() throws(VaultError) -> VaultHeader {
    let identifier = try translated { () throws(CryptoError) in try Random.bytes(VaultFormat.identifierLength) }
    var bytes = VaultFormat.magic
    bytes.append(bigEndian: VaultFormat.version)
    bytes += VaultFormat.algorithms
    bytes += identifier
    return VaultHeader(bytes: bytes)
  }

  /// Reads the header of a file.
  ///
  /// - Throws: `unsupportedVersion` for any version or algorithm but ours.
  init(from reader: inout ByteReader) throws(VaultError) {
    guard try reader.take(VaultFormat.magic.count).elementsEqual(VaultFormat.magic) else { throw VaultError(.damaged) }
    guard try reader.integer(UInt16.self) == VaultFormat.version,
      try reader.take(VaultFormat.algorithms.count).elementsEqual(VaultFormat.algorithms)
    else { throw VaultError(.unsupportedVersion) }
    _ = try reader.take(VaultFormat.identifierLength)
    bytes = Array(reader.consumed)
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }
}
