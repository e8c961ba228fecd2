internal import Encoding

/// A hint's command for signing in to an account.
package struct SignInCommand: Sendable {
  /// The account, or nil if the daemon chooses it.
  package let account: String?
  /// The options of the failed sign-in. Empty if the account is enough.
  package let options: [String]

  package init(_ account: String?, _ options: [String] = []) {
    self.account = account
    self.options = options
  }

  package var phrase: Phrase { with([]) }

  /// The command with another switch.
  package func with(_ name: String, without removed: [String] = []) -> Phrase { with([.init(name)], without: removed) }

  /// The command with more options. Clients replace it by the user's own command.
  ///
  /// - Parameters:
  ///   - added: Options to add or replace. A value that is unsafe to paste is described instead.
  ///   - removed: The names of conflicting options.
  package func with(_ added: [Correction.Addition], without removed: [String] = []) -> Phrase {
    if let other = added.first(where: { !($0.value.map(ShellWord.isHarmless) ?? true) }) {
      return Phrase("sign in again, with the value that the server requires in \("--\(other.name)")")
    }
    var words = options
    for name in removed + added.map(\.name) {
      while let index = words.firstIndex(of: "--\(name)") {
        let hasValue = words.indices.contains(index + 1) && !words[index + 1].hasPrefix("--")
        words.removeSubrange(index...(hasValue ? index + 1 : index))
      }
    }
    words += added.flatMap { ["--\($0.name)"] + [$0.value].compactMap { $0 } }
    let command = (["agent", "login"] + [account].compactMap { $0 } + words).map(ShellWord.quoted)
      .joined(separator: " ")
    if options.isEmpty, added.isEmpty { return .command(command) }
    return Phrase(Correction(command, adding: added, removing: removed))
  }

  /// Options to read a client secret, which exclude each other, and the one that forbids prompts.
  private static let secrets = ["client-secret-file", "client-secret-env", "no-input"]

  /// The command without options that forbid prompts, for a terminal.
  package var asking: Phrase { with([], without: ["no-input", "json", "start"]) }
  package var askingForSecret: Phrase { with("client-secret-prompt", without: Self.secrets) }
  package var registering: Phrase { with("register", without: ["client-id", "client-secret-prompt"] + Self.secrets) }
  package var pasting: Phrase { with("paste", without: ["browser", "device", "no-open"]) }
  /// The command that stops using a proxy. The settings of a new account are not stored yet.
  package var withoutProxy: Phrase {
    if let account, options.isEmpty { return .command("agent account set \(account) --proxy none") }
    return with([.init("proxy", "none")])
  }
  package var allowingHTTPLoopback: Phrase { with("allow-http-loopback") }
}
