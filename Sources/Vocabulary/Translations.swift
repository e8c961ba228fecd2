/// Translations of a few phrases, for a process without a catalogue.
package struct Translations: Sendable, Hashable {
  /// A language tag (BCP 47), such as `de`.
  package let language: String
  package let isRightToLeft: Bool
  /// By English template.
  package let templates: [String: String]

  package static let english = Translations()
  package static let maximumCount = 32, maximumTextBytes = 1_000

  private init() {
    language = "en"
    isRightToLeft = false
    templates = [:]
  }

  /// Nil if the tag is invalid, or strings are too many or long.
  package init?(language: String, isRightToLeft: Bool, templates: [String: String]) {
    let isTag = { (byte: UInt8) in byte == UInt8(ascii: "-") || UnicodeScalar(byte).properties.isAlphabetic }
    guard (2...35).contains(language.utf8.count), language.utf8.allSatisfy({ $0 < 0x80 && isTag($0) }),
      templates.count <= Self.maximumCount,
      templates.allSatisfy({ max($0.key.utf8.count, $0.value.utf8.count) <= Self.maximumTextBytes })
    else { return nil }
    self.language = language
    self.isRightToLeft = isRightToLeft
    self.templates = templates
  }

  /// English if untranslated.
  package func text(_ phrase: Phrase) -> String {
    phrase.text(isRightToLeft: isRightToLeft, translation: { templates[$0.template] }) { $0.englishTemplate }
  }
}

extension Phrase {
  /// The translated text. Isolates values in right-to-left languages, where URLs and codes would otherwise be
  /// reordered.
  ///
  /// - Parameters:
  ///   - translation: Returns the translated template, in the plural form for the count.
  ///   - clean: Makes a value safe to show.
  ///   - untranslated: Returns the template of an untranslated phrase.
  package func text(
    isRightToLeft: Bool, translation: (Phrase) -> String?, clean: (String) -> String = { $0 },
    untranslated: (Phrase) -> String
  ) -> String {
    let texts = values.map { value in
      switch value {
      case .text(let text): clean(text)
      case .command(let correction): clean(correction.command)
      case .phrase(let inner):
        inner.text(isRightToLeft: isRightToLeft, translation: translation, clean: clean, untranslated: untranslated)
      }
    }
    guard let template = translation(self) else { return Self.rendered(untranslated(self), texts) }
    return Self.rendered(template, texts, isolated: isRightToLeft ? leftToRightValues(translation) : [])
  }

  /// Indices of commands, texts with Latin letters, and untranslated phrases that contain a command or text.
  private func leftToRightValues(_ translation: (Phrase) -> String?) -> Set<Int> {
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
