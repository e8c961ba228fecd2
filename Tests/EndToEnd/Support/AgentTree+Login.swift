import Encoding
import Platform
import TestSupport
import Testing

extension AgentTree {
  /// Changes the settings that `agent login` does not accept, and returns the arguments of the sign-in that follows.
  func prepared(_ arguments: [String], _ changes: [String: String?] = [:]) throws -> [String] {
    let (settings, rest) = try split(arguments)
    if let settings {
      let result = try exactly(settings, changes)
      try #require(result.succeeded, "\(result.errorText)")
    }
    return rest
  }

  /// The options that `agent login` and `agent account add` both have.
  private static let both = [
    "--issuer", "--client-id", "--provider", "--scope", "--resource", "--ca-file", "--allow-http-loopback", "--host",
    "--redirect-uri", "--keep",
  ]
  /// The options of `agent account` that `agent login` does not have.
  private static let own = [
    "--audience", "--parameter", "--claims", "--authorization-details", "--token-endpoint-auth-method",
    "--basic-unencoded", "--client-key-algorithm", "--client-key-id", "--assertion-audience", "--id-token-algorithm",
    "--userinfo-algorithm", "--trust-audience", "--pin", "--proxy", "--dpop", "--key", "--profile",
    "--refresh", "--var", "--protect", "--passphrase-file", "--pin-file", "--authorization-endpoint",
    "--token-endpoint", "--device-authorization-endpoint", "--userinfo-endpoint", "--revocation-endpoint",
    "--registration-endpoint", "--jwks-uri",
  ]
  private static let switches = ["--allow-http-loopback", "--basic-unencoded", "--keep", "--dpop"]

  /// Splits a sign-in into the command that adds or changes its account, if needed, and the sign-in.
  func split(_ arguments: [String]) throws -> (settings: [String]?, login: [String]) {
    guard arguments.first == "login", arguments.contains(where: Self.own.contains),
      !arguments.contains("--ephemeral"), !arguments[1].hasPrefix("-")
    else { return (nil, arguments) }
    let account = arguments[1]
    let isNew = try !hasAccount(account)
    let moving = Self.own + (isNew ? Self.both : [])
    var settings = ["account", isNew ? "add" : "set", account]
    var rest: [String] = []
    var words = arguments[...]
    while let word = words.popFirst() {
      guard moving.contains(word) else {
        rest.append(word)
        continue
      }
      settings.append(word)
      if !Self.switches.contains(word), let value = words.popFirst() { settings.append(value) }
    }
    if arguments.contains("--json") { settings.append("--json") }
    return (settings, rest)
  }

  private func hasAccount(_ name: String) throws -> Bool {
    let folder = try directory.open("config")
    guard try folder.fileNames().contains("agent") else { return false }
    let files = try directory.open("config/agent")
    guard try files.fileNames().contains("config.json") else { return false }
    let settings = try JSON(parsing: try files.readFile("config.json", limit: 1 << 20))
    return settings["accounts"]?[name] != nil
  }
}
