internal import Crypto
internal import Encoding

/// A redirect's query fields, in secret memory.
struct RedirectFields {
  /// The value is nil if its encoding is invalid.
  private typealias Field = (name: String, value: SharedSecret?)

  private let fields: [Field]

  static let maximumBytes = 16_384
  private static let maximumFields = 64

  /// Nil if too large. Ignores fields with no value (RFC 6749 section 3.1) or an invalid name.
  init?(_ query: Span<UInt8>) {
    guard query.count <= Self.maximumBytes else { return nil }
    var fields: [Field] = []
    var start = 0
    while start < query.count {
      var end = start
      while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
      let part = query.extracting(start..<end)
      start = end + 1
      guard fields.count < Self.maximumFields else { return nil }
      if let field = Self.field(part), field.value?.bytes.count != 0 { fields.append(field) }
    }
    self.fields = fields
  }

  func has(_ name: String) -> Bool { fields.contains { $0.name.hasSameBytes(as: name) } }

  /// Nil unless the field appears once and is validly encoded.
  func uniqueValue(_ name: String) -> SharedSecret? {
    let found = fields.filter { $0.name.hasSameBytes(as: name) }
    return found.count == 1 ? found[0].value : nil
  }

  /// The first value of a field that is not secret.
  func text(_ name: String) -> String? {
    guard let value = fields.first(where: { $0.name.hasSameBytes(as: name) })?.value else { return nil }
    return value.bytes.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  var hasDuplicates: Bool { Set(fields.map { Array($0.name.utf8) }).count < fields.count }

  private static func field(_ part: Span<UInt8>) -> Field? {
    var equals = 0
    while equals < part.count, part[equals] != UInt8(ascii: "=") { equals += 1 }
    let value = part.extracting(min(equals + 1, part.count)...)
    guard let name = decoded(part.extracting(..<equals)) else { return nil }
    let text = name.bytes.withBytes { bytes in
      String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    return text.map { ($0, decoded(value)) }
  }

  private static func decoded(_ text: Span<UInt8>) -> SharedSecret? {
    var buffer = SecretBuffer(capacity: text.count)
    guard Form.decode(text, to: &buffer), let bytes = try? buffer.finish() else { return nil }
    return SharedSecret(bytes)
  }
}
