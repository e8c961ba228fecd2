internal import Wire

extension Option {
  /// How long a command waits for the network.
  static let wait = Option(
    name: .wait, value: .duration(1...WireProtocol.maximumTimeoutSeconds),
    summary: "Wait up to this time for a server that cannot be reached, beyond `--timeout`")

  /// Which of an account's tokens is meant, where it is not the account's own.
  static var tokenTarget: [Option] {
    [
      Option(
        name: .scope, short: "s", value: .text("SCOPE"), repeats: true,
        summary: "Ask for a token with these scopes only; may be given several times"),
      Option(
        name: .resource, value: .text("URI"), repeats: true,
        summary: "Ask for a token that is good at this resource (RFC 8707); may be given several times"),
      Option(name: .audience, value: .text("NAME"), summary: "Ask for a token with this audience"),
      Option(name: .exchange, summary: "Get it by trading the account's own token (RFC 8693)"),
    ]
  }
}
