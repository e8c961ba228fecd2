/// The constants of the vault file's format.
///
/// Integers are unsigned and big-endian. The file consists, in order, of:
///
/// ```text
/// header    8  magic "AGENTVLT"
///           2  format version
///           1  record cipher, 1  key derivation, 1  index authentication, 1  zero
///          16  random id of the vault
/// index     8  generation of the vault: the number of the latest write
///       3 x 8  the generation in which the key of each protection was created, or 0 if there is none
///           1  the highest slot number used so far
///           1  count of slots; each: 1 number, 2 kind, 1 protection, 2 length, body; ordered by
///              number, without duplicates
///           2  count of records; each: 1 length of the name, name, 1 protection, 8 generation,
///              12 nonce, 4 length of the ciphertext, 1 length of the sealed label, sealed label (12 nonce,
///              ciphertext, 16 tag); in byte order of the names, without duplicates
/// check    16  the first bytes of SHA-256 of header and index: distinguishes damage from a wrong key
///          32  HMAC-SHA-256 of header, index and check, with the device key
/// bodies       the ciphertexts of the records, without gaps, to the end of the file
/// ```
///
/// Each protection has one key, which encrypts its records; each slot contains one key. Labels are encrypted with the
/// device key, so that they can be shown while the record is locked. The header, with ``sealVersion``, is associated
/// data of all ciphertexts; the rest of the index may change without new encryption.
///
/// Version 2 had no labels. The next write converts it.
enum VaultFormat {
  static let magic: [UInt8] = Array("AGENTVLT".utf8)
  static let version: UInt16 = 3
  /// The version in the associated data. Fixed, since locked records cannot be reencrypted.
  static let sealVersion: UInt16 = 2
  /// AES-256-GCM, HKDF-SHA-256, HMAC-SHA-256, and a reserved byte.
  static let algorithms: [UInt8] = [1, 1, 1, 0]
  static let identifierLength = 16

  static let checkLength = 16
  static let tagLength = 32
  static let nonceLength = 12
  /// The bytes that AES-GCM adds: its tag.
  static let sealOverhead = 16

  static let maximumFileLength = 64 << 20
  static let maximumSlots = 16
  static let maximumSlotNumber: UInt8 = 255
  /// Of a slot's body, in bytes.
  static let maximumSlotLength = 4096
  static let maximumRecords = 10_000
  /// Before encryption, in bytes.
  static let maximumContentLength = 256 << 10
  /// Including nonce and tag.
  static let maximumSealedLabelLength = PersonLabel.maximumByteCount + nonceLength + sealOverhead
  /// Of a passphrase or PIN, in bytes.
  static let maximumSecretLength = 1024
}

extension Protection {
  /// The protection's number in the vault file. Never change it.
  var number: UInt8 {
    switch self {
    case .device: 0
    case .passphrase: 1
    case .tpm2: 2
    }
  }

  init?(number: UInt8) {
    guard let protection = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = protection
  }
}
