internal import Encoding
internal import Platform
internal import Wire

/// The language of texts for users. Output for programs, such as JSON, is never translated.
///
/// Catalogues are only searched when the first text is shown.
struct Language: Sendable {
  /// Finds the translation of a phrase's template, in the plural form for its count.
  private let translation: @Sendable (Phrase) -> String?

  /// Whether it is written from right to left.
  private let isRightToLeft: Bool

  /// Looks up templates with `translation`, which always returns nil for English.
  init(_ translation: @escaping @Sendable (Phrase) -> String?) {
    self.translation = translation
    isRightToLeft = translation(Self.direction) == "right-to-left"
  }

  /// The catalogue of a right-to-left language translates this as "right-to-left"; others do not translate it.
  private static let direction = Phrase("left-to-right")

  static let english = Language { _ in nil }

  /// The language of this process, according to its environment.
  static let current = Language(besides: Machine.executablePath())

  /// The domain of the catalogues, regardless of the program's name.
  static let domain = "agent"

  /// Candidate directories of catalogues, in order of preference: installed, and in a build tree. They are relative to
  /// the program's own file, so that an installed tree can be moved.
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

  /// The phrase in this language, or in English without a translation. Values lose characters that terminals must not
  /// receive.
  ///
  /// In a right-to-left language, values are isolated; otherwise URLs and codes would appear in another order.
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
    // It may come from the daemon or be composed. Only line feeds of our own questions are kept.
    let lines = keepsLines ? phrase.englishTemplate.split(separator: "\n") : [phrase.englishTemplate[...]]
    let template = lines.map { TerminalText.clean(String($0), limit: max(limit, 400)) }.joined(separator: "\n")
    return Phrase.rendered(template, values)
  }

  /// The indices of values written from left to right: those that contain Latin letters and no phrase of this language.
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
  /// A text from the daemon that may have a translation.
  init(known text: String) { self.init(stringLiteral: TerminalText.clean(text, limit: 400)) }

  /// The phrase for users.
  ///
  /// - Parameters:
  ///   - limit: Maximum length of a value, and of a text without a translation, in characters.
  ///   - keepsLines: Whether it may have several lines, like a question.
  func localized(limit: Int = 400, keepsLines: Bool = false) -> String {
    Language.current.text(self, limit: limit, keepsLines: keepsLines)
  }
}
