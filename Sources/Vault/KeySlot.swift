/// One way to get at the data key: a kind, and a body that only that kind understands.
///
/// A slot whose kind this program does not know is kept byte for byte.
struct KeySlot: Sendable, Hashable {
  /// The kinds of slots. A number, once given, is never used for something else.
  enum Kind: UInt16, Sendable {
    /// Bound to the device secret, the machine and the user (``HostBinding``).
    case host = 1

    /// The word shown to the user.
    var name: String {
      switch self {
      case .host: "host"
      }
    }
  }

  /// The number in the file; perhaps of no known kind.
  let kindNumber: UInt16
  /// 0 to 4,096 bytes.
  let body: [UInt8]

  init(_ kind: Kind, body: [UInt8]) {
    kindNumber = kind.rawValue
    self.body = body
  }

  /// Reads a slot from an index.
  init(from reader: inout ByteReader) throws(VaultError.Code) {
    kindNumber = try reader.integer()
    let length = Int(try reader.integer(UInt16.self))
    guard length <= VaultFormat.maximumSlotLength else { throw .damaged }
    body = Array(try reader.take(length))
  }

  var kind: Kind? { Kind(rawValue: kindNumber) }

  /// The name of the kind, or its number when it is unknown.
  var displayName: String { kind?.name ?? "unknown-\(kindNumber)" }

  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: kindNumber)
    bytes.append(bigEndian: UInt16(body.count))
    bytes += body
  }
}
