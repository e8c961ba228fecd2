internal import CPlatform

/// Translations of this process's texts, by `gettext(3)`.
///
/// The C library chooses the language, by `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG`, among those that the locale of
/// the system and the catalogues allow. It works in a static program: catalogues are in UTF-8, and so are the locales
/// that are used, so no converter is loaded.
package struct MessageCatalogue: Sendable {
  private let domain: String

  /// Opens the catalogues `DIRECTORY/LANGUAGE/LC_MESSAGES/DOMAIN.mo`.
  ///
  /// The process's locale is set, so this is called once, while there is no second thread.
  ///
  /// - Parameter variables: Looks a variable up, as ``Environment/value(_:)`` does.
  /// - Returns: nil when the environment wants no other language than English, or when its locale is not there or not
  ///   in UTF-8.
  package init?(domain: String, directory: String, variables: (String) -> String? = Environment.value) {
    guard Self.wantsLanguage(variables), unsafe agent_messages_open(domain, directory) != 0 else { return nil }
    self.domain = domain
  }

  /// The translation of a text; nil where there is none.
  package func translation(of text: String) -> String? {
    // The empty text has a catalogue's own description.
    guard !text.isEmpty else { return nil }
    return unsafe agent_message(domain, text).map { unsafe String(cString: $0) }
  }

  /// The same for texts with a count in them.
  package func translation(of one: String, orOther other: String, count: Int) -> String? {
    unsafe agent_message_counted(domain, one, other, UInt(count.magnitude)).map { unsafe String(cString: $0) }
  }

  /// Whether a locale is set that may have another language (POSIX, "Internationalization Variables").
  static func wantsLanguage(_ variables: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { variables($0) }.first { !$0.isEmpty }
    guard let locale, locale != "C", locale != "POSIX" else { return false }
    // A locale without a language takes the one of this variable, as the C library has it.
    return !locale.hasPrefix("C.") || !(variables("LANGUAGE") ?? "").isEmpty
  }
}
