internal import Vocabulary

/// Words of other programs for commands and options, to suggest our own.
enum OtherWords {
  /// The commands that the user may want, best first.
  ///
  /// - Parameter next: The following word, as in `auth login`.
  static func commands(for word: String, before next: String? = nil) -> [String] {
    switch word {
    case "auth", "oauth":
      guard let next, !next.hasPrefix("-") else { return ["login"] }
      return CommandName.firstWords.contains(next) ? [next] : commands(for: next)
    case "ls", "accounts", "profiles", "sessions": return ["list"]
    case "switch", "select", "choose", "activate", "profile": return ["use"]
    case "signin", "sign-in", "authenticate", "authorize", "connect", "init", "reauth": return ["login"]
    case "signout", "sign-out", "logoff", "disconnect", "revoke": return ["logout"]
    case "run", "with": return ["exec"]
    case "export", "shell": return ["env"]
    case "api", "call", "curl", "fetch", "http": return ["request"]
    case "refresh", "renew": return ["token --force-refresh"]
    case "access-token", "get", "get-token", "print", "print-access-token": return ["token"]
    case "id", "me", "who", "user": return ["whoami"]
    case "info", "ps", "state": return ["status"]
    case "check", "diagnose", "test": return ["doctor"]
    case "watch", "monitor": return ["events"]
    case "create", "new": return ["account add"]
    case "delete", "rm": return ["account remove"]
    case "mv": return ["account rename"]
    case "kill": return ["daemon stop"]
    case "inspect", "jwt": return ["decode"]
    case "validate": return ["verify"]
    case "ci", "robot": return ["workload"]
    case "config", "configure", "settings": return ["account set"]
    case "log", "logs", "journal": return ["daemon log"]
    case "passphrase", "passwd": return ["vault change-passphrase"]
    case "version": return ["--version"]
    case "docs", "man", "manual", "usage": return ["help"]
    default:
      // The second word of a command.
      let members = CommandName.listed.filter { $0.words.count == 2 && $0.words[1] == word }
      if !members.isEmpty { return members.map(\.rawValue) }
      return Suggestion.candidates(for: word, among: CommandName.firstWords)
    }
  }

  /// The known options that the user may want.
  static func options(for name: String, among known: [String]) -> [String] {
    let own: [String] =
      switch name {
      case "interactive", "launch-browser", "web": ["browser"]
      case "manual": ["paste"]
      case "client", "clientid": ["client-id"]
      case "client-secret", "secret": ["client-secret-file"]
      case "aud": ["audience"]
      case "cacert": ["ca-file"]
      case "insecure": ["allow-http-loopback"]
      case "code", "device-code", "headless", "no-browser", "no-launch-browser", "remote", "use-device-code": ["device"]
      case "force", "refresh", "renew": ["force-refresh"]
      case "email", "user", "username": ["login-hint"]
      case "domain", "hostname", "server", "tenant", "url": ["issuer"]
      case "debug", "trace": ["verbose"]
      case "silent": ["quiet"]
      case "format", "output": ["json"]
      case "non-interactive", "batch": ["no-input"]
      default: []
      }
    let meant = own.filter(known.contains)
    return meant.isEmpty ? Suggestion.candidates(for: name, among: known) : meant
  }
}
