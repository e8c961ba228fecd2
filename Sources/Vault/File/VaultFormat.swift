internal import Vocabulary

/// The numbers of the vault file's format. A limit here is checked when reading and when writing.
///
/// All integers are unsigned and big endian. The file is, in this order:
///
/// ```text
/// header    8  magic "AGENTVLT"
///           2  format version
///           1  record cipher, 1  key derivation, 1  index authentication, 1  zero
///          16  random id of the vault
/// index     8  generation of the vault: the number of the last write
///       3 x 8  the generation in which the key of each protection was made; 0 where there is none
///           1  the highest number that a slot ever had
///           1  count of slots; each: 1 number, 2 kind, 1 protection, 2 length, body; in the order of
///              the numbers, none twice
///           2  count of records; each: 1 length of the name, name, 1 protection, 8 generation,
///              12 nonce, 4 length of the sealed bytes, 1 length of the sealed label, sealed label (12 nonce,
///              ciphertext, 16 tag); in the byte order of the names, none twice
/// check    16  the first bytes of SHA-256 over header and index: finds accidents without a key,
///              so that damage is not taken for a wrong key
///          32  HMAC-SHA-256 over header, index and check, under the key of the device: finds
///              everything else
/// bodies       the sealed bytes of the records, without gaps, to the end of the file
/// ```
///
/// There is one key for each protection, and each slot holds one of them. The records of a protection are sealed with
/// its key. A label is sealed with the key of the device whatever the protection of its record is, so that it can be
/// shown while the record is locked. A slot of an unknown kind is kept unchanged, so a new kind does not need a new
/// version. The header is associated data of everything sealed, always as of ``sealVersion``; the rest of the index may
/// change without sealing a record again.
///
/// Version 2 had no labels. It is read, and the next write makes it a file of this version.
enum VaultFormat {
  static let magic: [UInt8] = Array("AGENTVLT".utf8)
  static let version: UInt16 = 3
  /// The version in the header that is associated data: records of a locked protection cannot be sealed again.
  static let sealVersion: UInt16 = 2
  /// AES-256-GCM, HKDF-SHA-256, HMAC-SHA-256, and a reserved byte.
  static let algorithms: [UInt8] = [1, 1, 1, 0]
  static let identifierLength = 16

  static let checkLength = 16
  static let tagLength = 32
  static let nonceLength = 12
  static let sealOverhead = 16

  static let maximumFileLength = 64 << 20
  static let maximumSlots = 16
  static let maximumSlotNumber: UInt8 = 255
  static let maximumSlotLength = 4096
  static let maximumRecords = 10_000
  static let maximumContentLength = 256 << 10
  /// A label of the greatest length, with its nonce and tag.
  static let maximumSealedLabelLength = PersonLabel.maximumByteCount + nonceLength + sealOverhead
  /// The longest passphrase or PIN, in bytes.
  static let maximumSecretLength = 1024
}

extension Protection {
  /// The protection's number in the vault file, which never changes its meaning.
  var number: UInt8 {
    switch self {
    case .device: 0
    case .passphrase: 1
    case .tpm2: 2
    }
  }

  /// The protection with this number; nil if there is none.
  init?(number: UInt8) {
    guard let protection = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = protection
  }
}
