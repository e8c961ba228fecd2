internal import OAuth
internal import Wire

extension Phrase {
  /// The subject of an error: a place, a value or, after a colon, a reason.
  init(subjectOf error: OAuthError) {
    switch error.code {
    case .idTokenRejected, .userInfoRejected, .metadataInvalid, .registrationUnusable:
      self = Self.reason(error.subject)
    case .profileBroken:
      self =
        error.breach.map { Phrase("\($0.rule): \(Phrase(stringLiteral: $0.sentence))") } ?? Self.place(error.subject)
    default: self = Self.place(error.subject)
    }
  }

  /// A reason; its value is apart from its words again.
  private static func reason(_ text: String) -> Phrase {
    let parts = text.split(separator: ";", maxSplits: 1)
    if parts.count == 2, parts[1].hasPrefix(" this machine's clock is ") {
      let what = reason(String(parts[0]))
      let words = parts[1].split(separator: " ")
      let seconds = words.first { $0.allSatisfy(\.isNumber) }.map { String($0) } ?? ""
      return words.contains("ahead")
        ? Phrase("\(what); this machine's clock is \(seconds) seconds ahead of the server's")
        : Phrase("\(what); this machine's clock is \(seconds) seconds behind the server's")
    }
    guard let space = text.firstIndex(of: " ") else { return Phrase(stringLiteral: text) }
    let name = String(text[..<space])
    return switch text[space...] {
    case " is missing": Phrase("\(name) is missing")
    case " is malformed": Phrase("\(name) is malformed")
    case " differs from the first sign-in": Phrase("\(name) differs from the first sign-in")
    default: Phrase(stringLiteral: text)
    }
  }

  /// A place; the name of a member may be behind it, in brackets.
  private static func place(_ text: String) -> Phrase {
    if let own = ownSubjects[text] { return own }
    guard text.hasSuffix(")"), let bracket = text.lastIndex(of: "("), text[..<bracket].hasSuffix(" "),
      let own = ownSubjects[String(text[..<bracket].dropLast())]
    else { return Phrase(verbatim: text) }
    return Phrase("\(own) (\(String(text[bracket...].dropFirst().dropLast())))")
  }

  /// Advice; its value is apart from its words again.
  init(advice text: String) {
    let start = "if they belong together: "
    if text.hasPrefix(start) {
      self = Phrase("if they belong together: \(String(text.dropFirst(start.count)))")
    } else {
      self.init(stringLiteral: text)
    }
  }
}
