internal import Crypto
internal import Platform

/// A vault file with the key that opens its records.
struct OpenVault {
  var file: VaultFile
  let key: DataKey

  /// A new, empty vault with a host slot. Nothing is written but the device secret, if it is not there.
  static func new(
    bound binding: HostBinding, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> OpenVault {
    let deviceSecret = try DeviceSecret.readOrCreate(in: directory)
    return try located(at: path) { () throws(VaultError.Code) in
      let header = try VaultHeader.new()
      let dataKey = try translated { () throws(CryptoError) in try SecretBytes.random(DataKey.byteCount) }
      let slot = try binding.wrap(dataKey, under: deviceSecret, header: header)
      let file = VaultFile(header: header, generation: 0, slots: [slot], records: [])
      return OpenVault(file: file, key: try DataKey(dataKey, header: header))
    }
  }
}
