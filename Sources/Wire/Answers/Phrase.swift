/// A text for people with the values that stand in it: a fixed English template, by which a translation is found, and
/// the values apart from it.
///
/// Written as an ordinary string literal: `"no connection to \(server)"` has the template `no connection to %1$s`.
/// A value may be a phrase itself, which is translated too. Nothing is ever formatted by a template that came from a
/// catalogue but by ``rendered(_:_:isolated:)``, which knows no more than these places.
package struct Phrase: Sendable {
  /// What stands in a place.
  package indirect enum Value: Sendable, Hashable {
    case text(String)
    case phrase(Phrase)
  }

  /// `%1$s`, `%2$s` … are the places of the values, `%%` is a percent sign.
  package let template: String

  package let values: [Value]

  /// The template for any count but one, and the count, where there is one.
  package let plural: Plural?

  package struct Plural: Sendable, Hashable {
    package let template: String
    package let count: Int
  }

  /// Puts a phrase together that came from elsewhere.
  package init(template: String, values: [Value]) {
    self.template = template
    self.values = values
    plural = nil
  }

  /// A text that is the same in all languages.
  package init(verbatim text: String) { self.init(template: "%1$s", values: [.text(text)]) }

  private init(_ phrase: Phrase, _ plural: Plural) {
    template = phrase.template
    values = phrase.values
    self.plural = plural
  }

  /// A phrase in the number that a count wants; both forms have the same values.
  package static func counted(_ count: Int, one: Phrase, other: Phrase) -> Phrase {
    Phrase(one, Plural(template: other.template, count: count))
  }

  /// The text in English.
  package var english: String { Self.rendered(englishTemplate, values.map(\.english)) }

  /// The template that English has for the count, where there is one.
  package var englishTemplate: String { plural.map { $0.count == 1 ? template : $0.template } ?? template }

  /// Puts values into the places of a template. A place without a value, and anything else after a percent sign, stays
  /// as it is.
  ///
  /// - Parameter isolated: The values, counted from 0, that stand between the characters that keep their direction apart
  ///   from that of the text around them (Unicode Standard Annex 9, section 2.4.3). Those within a command do not, or it
  ///   could not be copied from a terminal: a Latin word before a value keeps it in order as well.
  package static func rendered(_ template: String, _ values: [String], isolated: Set<Int> = []) -> String {
    var result = ""
    var rest = Substring(template)
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        result += "%"
        rest.removeFirst()
      } else if let (index, end) = place(rest), values.indices.contains(index) {
        let isInCommand = result.last { $0 != " " }.map { $0.isASCII && $0.isLetter } ?? false
        result += isolated.contains(index) && !isInCommand ? "\u{2068}\(values[index])\u{2069}" : values[index]
        rest = rest[end...]
      } else {
        result += "%"
      }
    }
    return result + rest
  }

  /// The value that `1$s` means, counted from 0, and where that ends.
  private static func place(_ text: Substring) -> (Int, Substring.Index)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard (1...2).contains(digits.count), let number = Int(digits), number > 0, text[digits.endIndex...].hasPrefix("$s")
    else { return nil }
    return (number - 1, text.index(digits.endIndex, offsetBy: 2))
  }
}

extension Phrase.Value {
  /// Whether it is no text of its own.
  package var isPhrase: Bool { if case .phrase = self { true } else { false } }

  package var english: String {
    switch self {
    case .text(let text): text
    case .phrase(let phrase): phrase.english
    }
  }
}

extension Phrase: Hashable {}

extension Phrase: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) {
    self.init(template: Self.escaped(text), values: [])
  }

  package init(stringInterpolation: StringInterpolation) {
    self.init(template: stringInterpolation.template, values: stringInterpolation.values)
  }

  /// A text without places as a part of a template.
  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
  }

  /// Makes a template of the fixed parts of a literal and keeps the values.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var template = ""
    fileprivate var values: [Value] = []

    package init(literalCapacity: Int, interpolationCount: Int) { template.reserveCapacity(literalCapacity) }

    package mutating func appendLiteral(_ literal: String) {
      template += Phrase.escaped(literal)
    }

    package mutating func appendInterpolation(_ phrase: Phrase) { append(.phrase(phrase)) }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      append(.text(value.description))
    }

    private mutating func append(_ value: Value) {
      values.append(value)
      template += "%\(values.count)$s"
    }
  }
}
