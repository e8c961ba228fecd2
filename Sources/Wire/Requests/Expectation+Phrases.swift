package import Vocabulary

extension Phrase {
  /// The valid values, after "must be".
  package init(_ expectation: AccountSetting.Expectation) {
    switch expectation {
    case .text(let count): self = "a text of at most \(count) bytes"
    case .flag: self = "true or false"
    case .list(let count): self = "a list of at most \(count) texts"
    case .texts(let count): self = "a list of texts of at most \(count) bytes"
    case .choice(let words): self = "one of \(words.joined(separator: ", "))"
    }
  }
}
