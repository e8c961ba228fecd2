internal import OAuth
internal import Wire

extension Phrase {
  /// The subject of an error: a place, a value or, after a colon, a reason.
  init(subjectOf error: OAuthError) {
    switch error.code {
    case .idTokenRejected, .userInfoRejected, .metadataInvalid, .registrationUnusable:
      self = Self.reason(error.subject)
      guard let seconds = error.clockError else { return }
      self =
        seconds > 0
        ? Phrase("\(self); this machine's clock is \(seconds.magnitude) seconds ahead of the server's")
        : Phrase("\(self); this machine's clock is \(seconds.magnitude) seconds behind the server's")
    case .profileBroken:
      self =
        error.breach.map { Phrase("\($0.rule): \(Phrase(stringLiteral: $0.sentence))") } ?? Self.place(error.subject)
    default: self = Self.place(error.subject)
    }
  }

  /// A reason; its value is apart from its words again.
  private static func reason(_ text: String) -> Phrase {
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
