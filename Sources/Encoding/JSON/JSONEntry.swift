/// The kinds of JSON values.
package enum JSONKind: Sendable {
  case null, bool, number, string, array, object
}

/// One value of a JSON text, by place only: the parser's output and what a layout is made of.
///
/// Entries lie in the order of the text, so what a container holds follows it directly.
struct JSONEntry: Sendable {
  /// The kind of value.
  var kind: JSONKind
  /// Whether a string has at least one escape.
  var hasEscapes = false
  /// The first byte of the value; for a string, of what is between the quotes.
  var start: Int32
  /// The byte after the value; for a string, the closing quote.
  var end: Int32
  /// The container's index, or -1 for the outermost value.
  var parent: Int32
  /// The index after this value and all that is inside it.
  var next: Int32
  /// How many members or elements a container holds itself.
  var count: Int32 = 0
  /// The member's name, if this is one.
  var name: Name

  /// Where a member's name lies in the layout's store of unescaped names.
  struct Name: Sendable {
    var start: Int32 = 0
    var count: Int32 = 0
    /// Makes most comparisons of names one comparison of numbers.
    var hash: UInt32 = 0
  }
}
