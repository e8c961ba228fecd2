/// The position of every value in a JSON text. Contains member names but no values, so the text may be secret. To read
/// a value, pass the text again.
package struct JSONLayout: Sendable {
  private let storage: Storage

  /// Parses JSON (RFC 8259) strictly and within limits. Also rejects duplicate names, lone surrogates, ill-formed UTF-8
  /// and a byte order mark.
  package init(parsing bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
    var parser = JSONParser(limits: limits)
    try parser.parse(bytes)
    storage = Storage(entries: parser.entries, names: parser.names, byteCount: bytes.count)
  }

  package init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
    try self.init(parsing: bytes.span, limits: limits)
  }

  package var root: Node { Node(storage: storage, index: 0) }

  fileprivate final class Storage: Sendable {
    let entries: [JSONEntry]
    /// All members' unescaped names, concatenated.
    let names: [UInt8]
    let byteCount: Int

    init(entries: [JSONEntry], names: [UInt8], byteCount: Int) {
      self.entries = entries
      self.names = names
      self.byteCount = byteCount
    }

    func name(of entry: JSONEntry) -> String {
      let start = Int(entry.name.start)
      return String(decoding: names[start..<(start + Int(entry.name.count))], as: UTF8.self)
    }

    func hasName(_ wanted: Span<UInt8>, _ entry: JSONEntry) -> Bool {
      guard Int(entry.name.count) == wanted.count else { return false }
      let start = Int(entry.name.start)
      for offset in 0..<wanted.count where names[start + offset] != wanted[offset] { return false }
      return true
    }
  }

  /// A value in the text. `source` must always be the parsed text.
  package struct Node: Sendable {
    fileprivate let storage: Storage
    fileprivate let index: Int

    private var entry: JSONEntry { storage.entries[index] }

    package var kind: JSONKind { entry.kind }

    /// Faster in another module than comparing ``kind``.
    package var isString: Bool { kind == .string }

    // MARK: Structure

    /// Compares names byte by byte. Nil if absent or not an object.
    package subscript(name: String) -> JSONLayout.Node? {
      guard kind == .object else { return nil }
      let view = name.utf8
      let wanted = view.span
      let end = Int(entry.next)
      var child = index + 1
      while child < end {
        if storage.hasName(wanted, storage.entries[child]) { return JSONLayout.Node(storage: storage, index: child) }
        child = Int(storage.entries[child].next)
      }
      return nil
    }

    /// Whether an object's member has a name containing `byte`.
    package func hasName(with byte: UInt8) -> Bool {
      guard kind == .object else { return false }
      let end = Int(entry.next)
      var child = index + 1
      while child < end {
        let entry = storage.entries[child]
        let start = Int(entry.name.start)
        for index in start..<start + Int(entry.name.count) where storage.names[index] == byte { return true }
        child = Int(entry.next)
      }
      return false
    }

    /// More than one only in leniently parsed text.
    package func members(named name: String) -> [JSONLayout.Node] {
      guard kind == .object else { return [] }
      let view = name.utf8
      let wanted = view.span
      return children.filter { storage.hasName(wanted, $0.entry) }
    }

    /// The members in order. Empty if not an object.
    package var members: [(name: String, value: JSONLayout.Node)] {
      kind == .object ? children.map { (storage.name(of: $0.entry), $0) } : []
    }

    /// The value's range in the text, including a string's quotes.
    package var range: Range<Int> {
      let quote = kind == .string ? 1 : 0
      return (Int(entry.start) - quote)..<(Int(entry.end) + quote)
    }

    /// The elements in order. Empty if not an array.
    package var elements: [JSONLayout.Node] { kind == .array ? children : [] }

    private var children: [JSONLayout.Node] {
      var found: [JSONLayout.Node] = []
      found.reserveCapacity(Int(entry.count))
      let end = Int(entry.next)
      var child = index + 1
      while child < end {
        found.append(JSONLayout.Node(storage: storage, index: child))
        child = Int(storage.entries[child].next)
      }
      return found
    }

    // MARK: Values

    /// The value, copied to the ordinary heap. Not for secrets.
    package func value(in source: Span<UInt8>) -> JSON {
      checkSource(source)
      switch kind {
      case .null: return .null
      case .bool: return .bool(source[Int(entry.start)] == UInt8(ascii: "t"))
      case .number: return .number(JSONNumber(checked: text(in: source)))
      case .string: return .string(string(in: source) ?? "")
      case .array: return .array(children.map { $0.value(in: source) })
      case .object:
        var members: [JSONObject.Member] = []
        members.reserveCapacity(Int(entry.count))
        var child = index + 1
        while child < Int(entry.next) {
          let node = JSONLayout.Node(storage: storage, index: child)
          members.append(.init(name: storage.name(of: node.entry), value: node.value(in: source)))
          child = Int(node.entry.next)
        }
        return .object(JSONObject(unique: members))
      }
    }

    /// The string, copied to the ordinary heap. Nil for other values. Not for secrets.
    package func string(in source: Span<UInt8>) -> String? {
      guard kind == .string else { return nil }
      checkSource(source)
      guard entry.hasEscapes else { return text(in: source) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Int(entry.end - entry.start))
      appendString(in: source, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the value like ``ByteSink/append(json:)``. Not for secrets.
    package func appendJSON<S: ByteSink & ~Copyable>(in source: Span<UInt8>, to sink: inout S) {
      guard kind == .string, !entry.hasEscapes else { return sink.append(json: value(in: source)) }
      checkSource(source)
      sink.append(jsonStringBytes: source.extracting(Int(entry.start)..<Int(entry.end)))
    }

    /// The most bytes that ``appendString(in:to:)`` writes, exact without escapes. Nil if not a string.
    package var stringByteCount: Int? {
      kind == .string ? Int(entry.end - entry.start) : nil
    }

    /// Writes the decoded string, or nothing if not a string.
    package func appendString<S: ByteSink & ~Copyable>(in source: Span<UInt8>, to sink: inout S) {
      guard kind == .string else { return }
      checkSource(source)
      let raw = source.extracting(Int(entry.start)..<Int(entry.end))
      if entry.hasEscapes {
        JSONEscape.decode(raw, to: &sink)
      } else {
        sink.append(contentsOf: raw)
      }
    }

    private func text(in source: Span<UInt8>) -> String {
      let raw = source.extracting(Int(entry.start)..<Int(entry.end))
      return unsafe raw.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    private func checkSource(_ source: Span<UInt8>) {
      precondition(source.count == storage.byteCount, "the text is not the one that was parsed")
    }
  }
}
