import Encoding

extension FuzzTarget {
  static func json(_ bytes: [UInt8]) throws(BrokenInvariant) {
    let value = try? JSON(parsing: bytes)
    let layout = try? JSONLayout(parsing: bytes)
    try BrokenInvariant.unless((value == nil) == (layout == nil), "both readers take the same texts")
    guard let value, let layout else { return }
    let written = value.serialized()
    try BrokenInvariant.unless((try? JSON(parsing: written)) == value, "what is written reads as what was read")
    try BrokenInvariant.unless(layout.root.value(in: bytes.span) == value, "both readers read the same")
    visit(value)
  }

  /// Converts each number in every possible way.
  private static func visit(_ value: JSON) {
    if let number = value.number {
      _ = (number.int, number.rounded(.up), number.rounded(.down), number.rounded(.toNearestOrEven))
    }
    for element in value.array ?? [] { visit(element) }
    guard let object = value.object else { return }
    for name in object.names { object[name].map { visit($0) } }
  }

  static func base64url(_ bytes: [UInt8]) throws(BrokenInvariant) {
    if let decoded = try? Base64URL.decode(bytes.span) {
      // RFC 4648 section 3.5: no two texts decode to the same bytes.
      try BrokenInvariant.unless(Array(Base64URL.encode(decoded).utf8) == bytes, "only the one right text is decoded")
    }
    try BrokenInvariant.unless(
      (try? Base64URL.decode(Base64URL.encode(bytes))) == bytes, "what is encoded decodes as what it was")
    try BrokenInvariant.unless((try? Base64.decode(Base64.encode(bytes))) == bytes, "the same with the other alphabet")
    if let text = String(validating: bytes, as: UTF8.self), let decoded = try? Base64.decode(text) {
      try BrokenInvariant.unless(Base64.encode(decoded).utf8.elementsEqual(text.utf8), "only the one right text")
    }
  }

  static func form(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let text = String(validating: bytes, as: UTF8.self), let fields = try? Form.parse(text) else { return }
    var written: [UInt8] = []
    for (index, field) in fields.enumerated() {
      if index > 0 { written.append(UInt8(ascii: "&")) }
      let (name, value) = (Array(field.name.utf8), Array(field.value.utf8))
      Form.appendEncoded(name.span, to: &written)
      written.append(UInt8(ascii: "="))
      Form.appendEncoded(value.span, to: &written)
    }
    let again = try? Form.parse(String(decoding: written, as: UTF8.self))
    try BrokenInvariant.unless(again == fields, "what is written reads as what was read")
  }

  static func uri(_ bytes: [UInt8]) throws(BrokenInvariant) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    if let uri = try? URI(text) {
      try BrokenInvariant.unless(uri.text.utf8.elementsEqual(text.utf8), "a URI is kept as it came")
      try BrokenInvariant.unless((try? URI(uri.origin)) != nil, "an origin is a URI")
      try BrokenInvariant.unless(
        (try? URI(uri.appendingQuery([("state", "a b&c")]))) != nil || text.utf8.count > 2000,
        "a query makes no other thing of a URI")
    }
    let base = try? URI("https://as.example/a/b?c=d")
    if let resolved = base?.resolving(text) {
      try BrokenInvariant.unless((try? URI(resolved.text)) == resolved, "a reference leads to a URI")
    }
  }

  /// Text for users, dates, and PEM.
  static func text(_ bytes: [UInt8]) throws(BrokenInvariant) {
    let text = String(decoding: bytes, as: UTF8.self)
    for scalar in TerminalText.clean(text).unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      try BrokenInvariant.unless(!isControl, "a terminal obeys nothing of what it is shown")
    }
    if let seconds = HTTPDate.parse(text) { _ = Timestamp.rfc3339(seconds) }
    _ = PEM.blocks(in: bytes.span)
  }
}
