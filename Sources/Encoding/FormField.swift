/// One name and value of a form, decoded.
package struct FormField: Sendable, Hashable {
  /// The name; may be empty.
  package var name: String
  /// The value; empty when the field was written without "=".
  package var value: String

  /// Makes a field.
  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  package static func == (one: FormField, other: FormField) -> Bool {
    one.name.utf8.elementsEqual(other.name.utf8) && one.value.utf8.elementsEqual(other.value.utf8)
  }
}
