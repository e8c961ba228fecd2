package enum JSONKind: Sendable {
  case null, bool, number, string, array, object
}

/// A value's position in a JSON text. A container's content directly follows it.
struct JSONEntry: Sendable {
  var kind: JSONKind
  var hasEscapes = false
  /// The offset of the first byte; for a string, after the opening quote.
  var start: Int32
  /// The offset after the last byte; for a string, of the closing quote.
  var end: Int32
  /// The container's index, or -1 for the outermost value.
  var parent: Int32
  /// The index of the entry after this value and its content.
  var next: Int32
  /// The number of direct members or elements.
  var count: Int32 = 0
  /// The name, if a member's value.
  var name: Name

  /// The location of a member's name in the layout's unescaped names.
  struct Name: Sendable {
    var start: Int32 = 0
    var count: Int32 = 0
    /// A hash of the name, for fast comparison.
    var hash: UInt32 = 0
  }
}
