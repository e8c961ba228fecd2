/// A vault file and the known keys of its records.
struct OpenVault {
  var file: VaultFile
  /// Also authenticates the file.
  private(set) var deviceKey: DataKey
  private var otherKeys: [Protection: DataKey]

  init(file: VaultFile, deviceKey: DataKey, otherKeys: [Protection: DataKey] = [:]) {
    self.file = file
    self.deviceKey = deviceKey
    self.otherKeys = otherKeys
  }

  var keys: [Protection: DataKey] { otherKeys.merging([.device: deviceKey]) { $1 } }

  /// Throws `locked` if the level's key is not known.
  func key(of protection: Protection) throws(VaultError) -> DataKey {
    if protection == .device { return deviceKey }
    guard let key = otherKeys[protection] else { throw VaultError(.locked(protection)) }
    return key
  }

  mutating func setKey(_ key: DataKey) {
    if key.protection == .device { deviceKey = key } else { otherKeys[key.protection] = key }
    file.setKey(key, of: key.protection)
  }

  /// Removes the key of a level without records.
  mutating func dropKey(of protection: Protection) {
    otherKeys[protection] = nil
    file.setKey(nil, of: protection)
  }

  /// Creates an empty vault with a new device key and a generation above `floor`.
  static func new(above floor: UInt64) throws(VaultError) -> OpenVault {
    let header = try VaultHeader.new()
    var file = VaultFile(
      header: header, generation: 0, epochs: KeyEpochs(), lastSlotNumber: 0, slots: [], records: [])
    try file.advance(above: floor)
    let key = try DataKey.new(for: .device, header: header, epoch: file.generation)
    file.setKey(key, of: .device)
    return OpenVault(file: file, deviceKey: key)
  }

  func encoded() throws(VaultError) -> [UInt8] { try file.encoded(with: deviceKey) }
}
