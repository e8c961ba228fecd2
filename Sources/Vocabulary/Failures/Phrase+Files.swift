package import Encoding
package import Platform

extension Phrase {
  /// Describes the expected value, to follow "must be".
  package init(_ expectation: AccountSetting.Expectation) {
    switch expectation {
    case .text(let count): self = Phrase("a text of at most \(count) bytes")
    case .flag: self = Phrase("true or false")
    case .list(let count): self = Phrase("a list of at most \(count) texts")
    case .texts(let count): self = Phrase("a list of texts of at most \(count) bytes")
    case .choice(let words): self = Phrase("one of \(words.joined(separator: ", "))")
    }
  }

  /// Why a file is not valid JSON.
  package init(_ syntax: JSONError.Code) {
    self =
      switch syntax {
      case .unexpectedByte: Phrase("expected a value, a quoted name, a comma or a bracket")
      case .unexpectedEnd: Phrase("unexpected end of file: expected a value or a bracket")
      case .trailingBytes: Phrase("expected the end of the file")
      case .duplicateMember: Phrase("duplicate name")
      case .invalidUTF8, .loneSurrogate: Phrase("expected UTF-8 text")
      case .invalidEscape: Phrase("expected a JSON escape after this backslash")
      case .invalidNumber, .numberTooLong: Phrase("expected a JSON number")
      case .tooDeep, .tooManyMembers, .tooManyElements, .stringTooLong, .tooLarge: Phrase("the file is too large")
      }
  }

  package func located(in file: String, at position: TextPosition) -> Phrase {
    Phrase("\(TerminalText.clean(file)):\(position.line):\(position.column): \(self)")
  }

  package init(_ problem: FileProblem, of path: String) {
    self.init(
      template: problem.sentence(about: "%1$s", mode: "%2$s"),
      values: [TerminalText.clean(path), problem.mode].compactMap { $0 }.map { .text($0) })
  }

  package init(_ error: DirectoryError) {
    switch error {
    case .system(let error, let path):
      self = "\(TerminalText.clean(path)): \(Phrase(stringLiteral: error.message))"
    case .untrusted(let problem, let path): self.init(problem, of: path)
    }
  }
}
