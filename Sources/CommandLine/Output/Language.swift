internal import Encoding
internal import Platform
internal import Wire

/// The language in which this process talks to a person. Only texts for people are translated: never JSON, nor anything
/// else that a program reads.
///
/// A catalogue is looked for when the first text is to be shown, so a command that shows none does not pay for it.
struct Language: Sendable {
  /// Finds the translation of a phrase's template, in the number that its count wants.
  private let translation: @Sendable (Phrase) -> String?

  /// Whether it is written from right to left.
  private let isRightToLeft: Bool

  /// Looks templates up by `translation`, which knows nothing for English.
  init(_ translation: @escaping @Sendable (Phrase) -> String?) {
    self.translation = translation
    isRightToLeft = translation(Self.direction) == "right-to-left"
  }

  /// A catalogue translates this by "right-to-left" if its language is written so, and else not at all differently.
  private static let direction = Phrase("left-to-right")

  static let english = Language { _ in nil }

  /// The language of this process, by its environment.
  static let current = Language(besides: Machine.executablePath())

  /// The name of the catalogues, whatever the program is called.
  static let domain = "agent"

  /// The directories that may hold catalogues, best first: installed, and in a build tree. They are found from the
  /// program's own file, so that an installed tree can be moved.
  static func directories(besides executable: String) -> [String] {
    ProgramTree.places(besides: executable, installed: "share/locale", built: "locale")
  }

  private init(besides executable: String) {
    let directory = Self.directories(besides: executable).first {
      (try? FileDescriptor(opening: $0, for: .reading)) != nil
    }
    guard let directory, let catalogue = MessageCatalogue(domain: Self.domain, directory: directory) else {
      self = .english
      return
    }
    self.init { phrase in
      if let plural = phrase.plural {
        return catalogue.translation(of: phrase.template, orOther: plural.template, count: plural.count)
      }
      return catalogue.translation(of: phrase.template)
    }
  }

  /// The phrase in this language, else in English. Values lose what has no place on a terminal.
  ///
  /// In a language that is written from right to left values are isolated, or a URL or a code beside such text would be
  /// shown in another order than it has.
  func text(_ phrase: Phrase, limit: Int = 400, keepsLines: Bool = false) -> String {
    let values = phrase.values.map { value in
      switch value {
      case .text(let text): TerminalText.clean(text, limit: limit)
      case .command(let correction): TerminalText.clean(correction.command, limit: limit)
      case .phrase(let inner): self.text(inner, limit: limit, keepsLines: keepsLines)
      }
    }
    if let template = translation(phrase) {
      return Phrase.rendered(template, values, isolated: isRightToLeft ? foreign(phrase.values) : [])
    }
    // It may have come from the daemon, or have been put together. Only line feeds of our own questions are kept.
    let lines = keepsLines ? phrase.englishTemplate.split(separator: "\n") : [phrase.englishTemplate[...]]
    let template = lines.map { TerminalText.clean(String($0), limit: max(limit, 400)) }.joined(separator: "\n")
    return Phrase.rendered(template, values)
  }

  /// The values that are written from left to right, counted from 0: what has Latin letters in it, and no phrase of this
  /// language.
  private func foreign(_ values: [Phrase.Value]) -> Set<Int> {
    let indices = values.indices.filter { index in
      switch values[index] {
      case .text(let text): text.unicodeScalars.contains { $0.isASCII && $0.properties.isAlphabetic }
      case .command: true
      case .phrase(let phrase): translation(phrase) == nil && !phrase.values.allSatisfy(\.isPhrase)
      }
    }
    return Set(indices)
  }
}

extension Phrase {
  /// A whole text that came from the daemon and may be one of those that are translated.
  init(known text: String) { self.init(stringLiteral: TerminalText.clean(text, limit: 400)) }

  /// The phrase as a person reads it.
  ///
  /// - Parameters:
  ///   - limit: How many characters of a value, and of a text without a translation, are shown.
  ///   - keepsLines: Whether it may have several lines, as a question has.
  func localized(limit: Int = 400, keepsLines: Bool = false) -> String {
    Language.current.text(self, limit: limit, keepsLines: keepsLines)
  }
}
