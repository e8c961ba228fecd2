internal import Crypto
internal import Encoding

/// The fields of a redirect's query, their values on the secure heap: one of them is the code.
struct RedirectFields {
  private let fields: [(name: String, value: SharedSecret)]

  /// The longest query, in bytes, and the most fields.
  static let maximumBytes = 16_384
  private static let maximumFields = 64

  /// nil for a query that is too large or not form-encoded. Fields without a value count as left out (RFC
  /// 6749 section 3.1).
  init?(_ query: Span<UInt8>) {
    guard query.count <= Self.maximumBytes else { return nil }
    var fields: [(name: String, value: SharedSecret)] = []
    var start = 0
    while start < query.count {
      var end = start
      while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
      let part = query.extracting(start..<end)
      start = end + 1
      guard fields.count < Self.maximumFields, let field = Self.field(part) else { return nil }
      if field.value.bytes.count > 0 { fields.append(field) }
    }
    self.fields = fields
  }

  func has(_ name: String) -> Bool { fields.contains { $0.name.utf8.elementsEqual(name.utf8) } }

  /// The value of a field that is there once.
  func only(_ name: String) -> SharedSecret? {
    let found = fields.filter { $0.name.utf8.elementsEqual(name.utf8) }
    return found.count == 1 ? found[0].value : nil
  }

  /// The same as text, for values that are not secret; the first when there are several.
  func text(_ name: String) -> String? {
    guard let field = fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
    return field.value.bytes.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  /// Whether a name stands there twice.
  var repeatsOne: Bool { Set(fields.map { Array($0.name.utf8) }).count < fields.count }

  private static func field(_ part: Span<UInt8>) -> (name: String, value: SharedSecret)? {
    var equals = 0
    while equals < part.count, part[equals] != UInt8(ascii: "=") { equals += 1 }
    let value = part.extracting(min(equals + 1, part.count)...)
    guard let name = decoded(part.extracting(..<equals)), let secret = decoded(value) else { return nil }
    let text = name.bytes.withBytes { bytes in
      String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    return text.map { ($0, secret) }
  }

  private static func decoded(_ text: Span<UInt8>) -> SharedSecret? {
    var buffer = SecretBuffer(capacity: text.count)
    guard Form.decode(text, to: &buffer), let bytes = try? buffer.finish() else { return nil }
    return SharedSecret(bytes)
  }
}
