package enum JSONKind: Sendable {
  case null, bool, number, string, array, object
}

/// The position of a value in a JSON text, created by the parser and stored in a layout.
///
/// Entries are in the order of the text, so the content of a container follows it directly.
struct JSONEntry: Sendable {
  var kind: JSONKind
  /// Whether a string has at least one escape.
  var hasEscapes = false
  /// The offset of the first byte; for a string, after the opening quote.
  var start: Int32
  /// The offset after the last byte; for a string, of the closing quote.
  var end: Int32
  /// The container's index, or -1 for the outermost value.
  var parent: Int32
  /// The index after this value and its content.
  var next: Int32
  /// The number of direct members or elements of a container.
  var count: Int32 = 0
  /// The member's name, if this is one.
  var name: Name

  /// The location of a member's name in the layout's store of unescaped names.
  struct Name: Sendable {
    var start: Int32 = 0
    var count: Int32 = 0
    /// Makes most comparisons of names a comparison of numbers.
    var hash: UInt32 = 0
  }
}
