extension Phrase {
  /// Words to choose from.
  package static func choices(_ words: [String]) -> Phrase {
    words.dropFirst().reduce(Phrase(verbatim: words.first ?? "")) { Phrase("\($0) or \($1)") }
  }

  /// Words that all count.
  package static func all(_ words: [String]) -> Phrase {
    words.dropFirst().reduce(Phrase(verbatim: words.first ?? "")) { Phrase("\($0) and \($1)") }
  }
}
