/// A message for users: values and an English template, also the key for its translation.
///
/// `"cannot reach \(server)"` has the template `cannot reach %1$s`. Values may be phrases, translated too.
package struct Phrase: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// A placeholder's value.
  package indirect enum Value: Sendable, Hashable {
    case text(String)
    case phrase(Phrase)
    case command(Correction)

    package var isPhrase: Bool { if case .phrase = self { true } else { false } }

    var isCommand: Bool { if case .command = self { true } else { false } }

    package var english: String {
      switch self {
      case .text(let text): text
      case .phrase(let phrase): phrase.english
      case .command(let correction): correction.command
      }
    }
  }

  /// With placeholders `%1$s`, `%2$s` … and `%%` for a percent sign.
  package let template: String

  package let values: [Value]

  /// The template for counts other than one, and the count.
  package let plural: Plural?

  /// At the phrase's end, quoted for `sh`.
  private(set) var finalCommand: String?

  package struct Plural: Sendable, Hashable {
    package let template: String
    package let count: Int
  }

  /// A hint that consists of a command, quoted for `sh`.
  package static func command(_ text: String) -> Phrase { Phrase(verbatim: text).withCommandAtEnd(text) }

  /// A copy with this ``finalCommand``. The text must already end with it.
  package func withCommandAtEnd(_ command: String?) -> Phrase {
    var phrase = self
    phrase.finalCommand = command
    return phrase
  }

  /// The only command in the phrase, quoted for `sh`; nil if several.
  package var command: String? { commands.count == 1 ? commands.first : nil }

  private var commands: [String] {
    [finalCommand].compactMap { $0 }
      + values.flatMap { (value) -> [String] in
        switch value {
        case .text: []
        case .phrase(let phrase): phrase.commands
        case .command(let correction): [correction.command]
        }
      }
  }

  package init(template: String, values: [Value]) {
    self.template = template
    self.values = values
    plural = nil
  }

  /// Creates a phrase that is never translated.
  package init(verbatim text: String) { self.init(template: "%1$s", values: [.text(text)]) }

  package init(_ command: Correction) { self.init(template: "%1$s", values: [.command(command)]) }

  private init(_ phrase: Phrase, _ plural: Plural) {
    template = phrase.template
    values = phrase.values
    self.plural = plural
  }

  /// A phrase in singular or plural, with the same values.
  package static func counted(_ count: Int, one: Phrase, other: Phrase) -> Phrase {
    Phrase(one, Plural(template: other.template, count: count))
  }

  package var english: String { Self.rendered(englishTemplate, values.map(\.english)) }

  /// The English template for the count.
  package var englishTemplate: String { plural.map { $0.count == 1 ? template : $0.template } ?? template }

  /// Replaces `%%` by `%`, and each placeholder that has a value.
  ///
  /// - Parameter isolated: The indices of values to enclose in directional isolates (Unicode Standard Annex 9, section
  ///   2.4.3), except after a Latin word, as in a command.
  package static func rendered(_ template: String, _ values: [String], isolated: Set<Int> = []) -> String {
    var result = ""
    var rest = Substring(template)
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[rest.index(after: percent)...]
      if rest.first == "%" {
        result += "%"
        rest.removeFirst()
      } else if let (index, end) = parsePlaceholder(rest), values.indices.contains(index) {
        let isInCommand = result.last { $0 != " " }.map { $0.isASCII && $0.isLetter } ?? false
        result += isolated.contains(index) && !isInCommand ? "\u{2068}\(values[index])\u{2069}" : values[index]
        rest = rest[end...]
      } else {
        result += "%"
      }
    }
    return result + rest
  }

  /// The value's index, from 0, and the placeholder's end.
  private static func parsePlaceholder(_ text: Substring) -> (Int, Substring.Index)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard (1...2).contains(digits.count), let number = Int(digits), number > 0, text[digits.endIndex...].hasPrefix("$s")
    else { return nil }
    return (number - 1, text.index(digits.endIndex, offsetBy: 2))
  }

  package init(stringLiteral text: String) {
    self.init(template: Self.escaped(text), values: [])
  }

  package init(stringInterpolation: StringInterpolation) {
    self.init(template: stringInterpolation.template, values: stringInterpolation.values)
  }

  /// Doubles percent signs.
  private static func escaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var template = ""
    fileprivate var values: [Value] = []

    package init(literalCapacity: Int, interpolationCount: Int) { template.reserveCapacity(literalCapacity) }

    package mutating func appendLiteral(_ literal: String) {
      template += Phrase.escaped(literal)
    }

    package mutating func appendInterpolation(_ phrase: Phrase) { append(.phrase(phrase)) }

    package mutating func appendInterpolation(_ command: Correction) { append(.command(command)) }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      append(.text(value.description))
    }

    private mutating func append(_ value: Value) {
      values.append(value)
      template += "%\(values.count)$s"
    }
  }
}

extension DefaultStringInterpolation {
  /// Deprecated: a string with a phrase cannot be translated.
  @available(*, deprecated, message: "write Phrase(\"…\"), so that the text can be translated")
  package mutating func appendInterpolation(_ phrase: Phrase) {}
}
