internal import Encoding
internal import Loopback
internal import Platform
internal import Wire

struct Language: Sendable {
  /// Returns the translation, in the right plural form; nil if missing.
  private let translation: @Sendable (Phrase) -> String?

  private let isRightToLeft: Bool

  init(_ translation: @escaping @Sendable (Phrase) -> String?) {
    self.translation = translation
    isRightToLeft = translation(Self.direction) == "right-to-left"
  }

  /// Translated as "right-to-left" in languages written so.
  private static let direction = Phrase("left-to-right")

  static let english = Language { _ in nil }

  static let current = Language(near: Machine.executablePath())

  /// The catalogues' gettext domain.
  static let domain = "agent"

  /// In an installation, then in a build tree.
  static func directories(near executable: String) -> [String] {
    ProgramTree.candidatePaths(near: executable, installed: "share/locale", built: "locale")
  }

  private init(near executable: String) {
    let directory = Self.directories(near: executable).first {
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

  /// The translated phrase, or else the English one. Removes from its values the characters unsafe for terminals.
  func text(_ phrase: Phrase, limit: Int = 400, keepsLines: Bool = false) -> String {
    phrase.text(
      isRightToLeft: isRightToLeft, translation: translation, clean: { TerminalText.clean($0, limit: limit) }
    ) { phrase in
      // Composed text, or text of the daemon. Keep line feeds only in our own questions.
      let lines = keepsLines ? phrase.englishTemplate.split(separator: "\n") : [phrase.englishTemplate[...]]
      return lines.map { TerminalText.clean(String($0), limit: max(limit, 400)) }.joined(separator: "\n")
    }
  }

  /// The translations of pages at a redirect URI; nil in English.
  var pageTranslations: Translations? {
    let texts = LoopbackPage.phrases.compactMap { phrase in translation(phrase).map { (phrase.template, $0) } }
    // Translated as the tag of the language (BCP 47).
    return translation(Phrase("en")).flatMap { language in
      Translations(
        language: language, isRightToLeft: isRightToLeft, templates: Dictionary(texts, uniquingKeysWith: { $1 }))
    }
  }

  /// A verbatim word, isolated from right-to-left text.
  func isolated(_ word: String) -> String { isRightToLeft ? "\u{2068}\(word)\u{2069}" : word }
}

extension Phrase {
  /// A message from the daemon or system, cleaned, and translated if possible.
  init(known text: String) { self.init(stringLiteral: TerminalText.clean(text, limit: 400)) }

  /// The phrase in the user's language. `limit`: the maximum characters of a value, or of untranslated text.
  /// `keepsLines`: whether untranslated text keeps line feeds.
  func localized(limit: Int = 400, keepsLines: Bool = false) -> String {
    Language.current.text(self, limit: limit, keepsLines: keepsLines)
  }
}
