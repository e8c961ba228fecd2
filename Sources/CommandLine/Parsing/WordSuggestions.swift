internal import Vocabulary

/// Suggests commands and options for words that other programs use.
enum WordSuggestions {
  /// The likely commands, best first. `next` is the following word, as in `auth login`, and `group` the group to
  /// search, as in `account ls`.
  static func commands(for word: String, before next: String? = nil, in group: String? = nil) -> [String] {
    let word = word.lowercased()
    if let group { return commands(for: word, of: group) }
    if CommandName.firstWords.contains(word) { return [word] }
    switch word {
    case "log" where ["in", "on"].contains(next), "sign" where ["in", "on", "up"].contains(next): return ["login"]
    case "log" where ["out", "off"].contains(next), "sign" where ["out", "off"].contains(next): return ["logout"]
    case "auth", "oauth":
      guard let next, !next.hasPrefix("-") else { return ["login"] }
      return commands(for: next)
    case "ls", "accounts", "profiles", "sessions": return ["list"]
    case "switch", "select", "choose", "activate", "profile": return ["use"]
    case "signin", "sign-in", "authenticate", "authorize", "connect", "init", "reauth": return ["login"]
    case "signout", "sign-out", "logoff", "disconnect", "revoke": return ["logout"]
    case "run", "with": return ["exec"]
    case "environment", "export", "shell", "variables": return ["env"]
    case "api", "call", "curl", "fetch", "http": return ["request"]
    case "refresh", "renew": return ["token --force-refresh"]
    case "access-token", "get", "get-token", "print", "print-access-token", "print-token": return ["token"]
    case "claims", "current", "id", "me", "who", "user", "userinfo": return ["whoami"]
    case "info", "ps", "state": return ["status"]
    case "check", "debug", "diagnose", "test": return ["doctor"]
    case "watch", "monitor": return ["events"]
    case "create", "new": return ["account add"]
    case "delete", "rm": return ["account remove"]
    case "mv": return ["account rename"]
    case "kill": return ["daemon stop"]
    case "inspect", "jwt": return ["decode"]
    case "validate": return ["verify"]
    case "ci", "robot": return ["workload"]
    case "config", "configure", "edit", "settings": return ["account set"]
    case "log", "logs", "journal": return ["daemon log"]
    case "passphrase", "passwd", "password": return ["vault change-passphrase"]
    case "providers", "services": return ["help \(CommandName.providersTopic)"]
    case "version": return ["--version"]
    case "docs", "man", "manual", "usage": return ["help"]
    case _ where SetupClient.names.contains(word): return ["setup \(word)"]
    default:
      let members = CommandName.listed.filter { $0.words.count == 2 && $0.words[1] == word }
      if !members.isEmpty { return members.map(\.rawValue) }
      // As in `setup-git` and `daemon-start`.
      let parts = word.split(separator: "-", maxSplits: 1).map { String($0) }
      if parts.count == 2, CommandName(rawValue: parts.joined(separator: " ")) != nil || parts[0] == "setup" {
        return [parts.joined(separator: " ")]
      }
      return Suggestion.candidates(for: word, among: CommandName.firstWords)
    }
  }

  /// The group's likely commands, else others.
  private static func commands(for word: String, of group: String) -> [String] {
    let members = CommandName.members(ofGroup: group)
    if ["list", "ls", "show"].contains(word), members.contains("status") { return ["\(group) status"] }
    let meant = Suggestion.candidates(for: word, among: members)
    if !meant.isEmpty { return meant.map { "\(group) \($0)" } }
    return commands(for: word).compactMap { command in
      if members.contains(command) { return "\(group) \(command)" }
      return !command.utf8.contains(0x20) || command.hasPrefix("\(group) ") ? command : nil
    }
  }

  /// `agent help` commands for the likely meanings of an unknown command: one word, or a group's name and a word.
  static func helpCommands(for words: [String]) -> [String] {
    if let provider = ProviderName(known: words[0]) {
      return ["agent help \(CommandName.providersTopic) \(provider.rawValue)"]
    }
    let group = CommandName.members(ofGroup: words[0]).isEmpty ? nil : words[0]
    return commands(for: words[group == nil ? 0 : 1], in: group).compactMap { command in
      guard !command.hasPrefix("help ") else { return "agent \(command)" }
      let name = CommandName(rawValue: command)?.rawValue ?? String(command.prefix { $0 != " " })
      return name.hasPrefix("-") ? nil : "agent help \(name)"
    }
  }

  /// The likely known options.
  static func options(for name: String, among known: [String]) -> [String] {
    let own: [String] =
      switch name {
      case "interactive", "launch-browser", "web": ["browser"]
      case "manual": ["paste"]
      case "client", "clientid": ["client-id"]
      case "client-secret", "secret": ["client-secret-prompt", "client-secret-file"]
      case "client-secret-env": ["client-secret-file"]
      case "aud": ["audience"]
      case "cacert": ["ca-file"]
      case "insecure": ["allow-http-loopback"]
      case "code", "device-code", "headless", "no-browser", "no-launch-browser", "remote", "use-device-code": ["device"]
      case "force", "refresh", "renew": ["force-refresh"]
      case "email", "user", "username": ["login-hint"]
      case "domain", "hostname", "server", "tenant", "url": ["issuer"]
      case "debug", "trace": ["verbose"]
      case "silent": ["quiet"]
      case "format", "output": [known.contains("shell") ? "shell" : "json"]
      case "non-interactive", "batch": ["no-input"]
      case _ where known.contains("shell") && Shell.all.contains(where: { $0.name == name }): ["shell=\(name)"]
      default: []
      }
    let meant = own.filter { known.contains(String($0.prefix { $0 != "=" })) }
    // The value of one is a number, of the other a path.
    let alike = known.filter { $0.hasSuffix("-fd") == name.hasSuffix("-fd") }
    return meant.isEmpty ? Suggestion.candidates(for: name, among: alike) : meant
  }
}
