internal import Encoding

/// A sign-in command for a hint.
package struct SignInCommand: Sendable {
  /// Nil if the daemon chooses the account.
  package let account: String?
  /// The failed sign-in's options.
  package let options: [String]
  /// Whether a program signs in, not a user.
  private let isWorkload: Bool
  /// The issuer of an account not stored yet.
  private let newIssuer: String?

  /// Precedes options of a sign-in without a user.
  package static let workload = "workload"
  /// Precedes the issuer of a new account.
  package static let new = "new"

  /// `entered` has the options, after ``new`` and the issuer for a new account, or ``workload`` for a sign-in without a
  /// user.
  package init(_ account: String?, _ entered: [String] = []) {
    self.account = account
    var words = entered[...]
    let isNew = words.first == Self.new
    newIssuer = isNew ? words.dropFirst().first : nil
    if isNew { words = words.dropFirst(2) }
    isWorkload = words.first == Self.workload
    options = Array(isWorkload ? words.dropFirst() : words)
  }

  package var phrase: Phrase { with([]) }

  /// The command that signs in to a stored account again, in the same way.
  package func again(_ account: String) -> String { Self.command([word, account]) }

  private var word: String { isWorkload ? Self.workload : "login" }

  /// The command with the switch `name`.
  package func with(_ name: String, without removed: [String] = []) -> Phrase { with([.init(name)], without: removed) }

  /// The command with the options `added`, without those in `removed`; clients change the user's command likewise.
  /// Returns advice instead if a value is unsafe to paste.
  package func with(_ added: [Correction.Addition], without removed: [String] = []) -> Phrase {
    if let other = added.first(where: { !($0.value.map(ShellWord.isHarmless) ?? true) }) {
      return Phrase("sign in again, with the value that the server requires in \("--\(other.name)")")
    }
    var options = options
    for name in removed + added.map(\.name) {
      while let index = options.firstIndex(of: "--\(name)") {
        let hasValue = options.indices.contains(index + 1) && !options[index + 1].hasPrefix("--")
        options.removeSubrange(index...(hasValue ? index + 1 : index))
      }
    }
    let more = added.flatMap { ["--\($0.name)"] + [$0.value].compactMap { $0 } }
    if !isWorkload, let account, added.contains(where: { AccountSetting.isOnlyAccountOption($0.name) }) {
      let change = newIssuer.map { adding(account, at: $0, options) } ?? ["account", "set", account]
      let rest = AccountSetting.options(in: options, areSettings: false)
      return Phrase(verbatim: "\(Self.command(change + more)) && \(Self.command(["login", account] + rest))")
    }
    let command = Self.command([word] + [account].compactMap { $0 } + options + more)
    if self.options.isEmpty, added.isEmpty { return .command(command) }
    return Phrase(Correction(command, adding: added, removing: removed))
  }

  /// The words of `agent account add`.
  private func adding(_ account: String, at issuer: String, _ words: [String]) -> [String] {
    let isKnown =
      ProviderName(known: account) != nil || words.contains("--issuer") || words.contains("--provider")
    return ["account", "add", account] + (isKnown ? [] : ["--issuer", issuer]) + AccountSetting.options(in: words)
  }

  private static func command(_ words: [String]) -> String {
    (["agent"] + words).map(ShellWord.quoted).joined(separator: " ")
  }

  /// Whether the options provide a client secret.
  package var namesSecret: Bool {
    options.contains { ["--client-secret-prompt", "--client-secret-file"].contains($0) }
  }

  /// Options that conflict with a secret prompt.
  private static let secrets = ["client-secret-file", "no-input"]

  package var withPrompts: Phrase { with([], without: ["no-input", "json", "start"]) }
  package var withSecretPrompt: Phrase { with("client-secret-prompt", without: Self.secrets) }
  package var withRegistration: Phrase {
    with("register", without: ["client-id", "client-secret-prompt"] + Self.secrets)
  }
  package var withPaste: Phrase { with("paste", without: ["browser", "device", "no-open"]) }
  package var withoutProxy: Phrase {
    if let account, options.isEmpty, newIssuer == nil { return .command("agent account set \(account) --proxy none") }
    return with([.init("proxy", "none")])
  }
  package var withHTTPLoopback: Phrase { with("allow-http-loopback") }
}
