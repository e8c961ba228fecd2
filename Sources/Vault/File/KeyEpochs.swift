/// The vault's generation in which each level's key was created, or 0 without a key.
struct KeyEpochs: Sendable, Hashable {
  private var device: UInt64 = 0
  private var passphrase: UInt64 = 0
  private var tpm2: UInt64 = 0

  init() {}

  init(from reader: inout ByteReader) throws(VaultError) {
    for protection in Protection.allCases { self[protection] = try reader.readInteger() }
    guard device > 0 else { throw VaultError(.damaged) }
  }

  subscript(protection: Protection) -> UInt64 {
    get {
      switch protection {
      case .device: device
      case .passphrase: passphrase
      case .tpm2: tpm2
      }
    }
    set {
      switch protection {
      case .device: device = newValue
      case .passphrase: passphrase = newValue
      case .tpm2: tpm2 = newValue
      }
    }
  }

  var newest: UInt64 { max(device, passphrase, tpm2) }

  func append(to bytes: inout [UInt8]) {
    for protection in Protection.allCases { bytes.append(bigEndian: self[protection]) }
  }
}
