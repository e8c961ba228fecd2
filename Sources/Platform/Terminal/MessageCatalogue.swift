internal import CPlatform

/// Translations of this process's messages by `gettext(3)`, which selects the language by `LANGUAGE`, `LC_ALL`,
/// `LC_MESSAGES` and `LANG`.
package struct MessageCatalogue: Sendable {
  private let domain: String

  /// Opens the catalogues `DIRECTORY/LANGUAGE/LC_MESSAGES/DOMAIN.mo`. Sets the process's locale: call it once, before a
  /// second thread exists. Nil if the environment selects English or a missing or non-UTF-8 locale, or a variable
  /// contains a slash, which could select another directory.
  package init?(domain: String, directory: String, variables: (String) -> String? = Environment.value) {
    guard Self.wantsLanguage(variables), unsafe agent_messages_open(domain, directory) != 0 else { return nil }
    self.domain = domain
  }

  /// Nil if there is no translation.
  package func translation(of text: String) -> String? {
    // The empty message is the catalogue's header.
    guard !text.isEmpty else { return nil }
    return unsafe agent_message(domain, text).map { unsafe String(cString: $0) }
  }

  /// The translation for `count` of a message with singular `one` and plural `other`.
  package func translation(of one: String, orOther other: String, count: Int) -> String? {
    unsafe agent_message_counted(domain, one, other, UInt(count.magnitude)).map { unsafe String(cString: $0) }
  }

  /// Whether the variables may select a language other than English (POSIX, "Internationalization Variables").
  static func wantsLanguage(_ variables: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { variables($0) }.first { !$0.isEmpty }
    guard let locale, locale != "C", locale != "POSIX" else { return false }
    for name in ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG"] {
      if variables(name)?.utf8.contains(UInt8(ascii: "/")) == true { return false }
    }
    // The C library then uses `LANGUAGE`.
    return !locale.hasPrefix("C.") || !(variables("LANGUAGE") ?? "").isEmpty
  }
}
