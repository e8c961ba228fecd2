/// A record's entry in the index, before the sealed bytes are reached.
struct RecordEntry {
  let name: AccountName
  let protection: Protection
  let generation: UInt64
  let nonce: [UInt8]
  let sealedLength: Int

  init(from reader: inout ByteReader) throws(VaultError.Code) {
    let length = Int(try reader.integer(UInt8.self))
    guard let name = AccountName(bytes: try reader.take(length)),
      let protection = Protection(rawValue: try reader.integer())
    else { throw .damaged }
    self.name = name
    self.protection = protection
    generation = try reader.integer()
    nonce = Array(try reader.take(VaultFormat.nonceLength))
    sealedLength = Int(try reader.integer(UInt32.self))
    let longest = VaultFormat.maximumContentLength + VaultFormat.sealOverhead
    guard (VaultFormat.sealOverhead...longest).contains(sealedLength) else { throw .damaged }
  }
}
