internal import Wire

/// Which of an account's tokens a command line means; empty for the account's own.
enum TargetOptions {
  static func read(_ invocation: Invocation) -> TokenRequest.Target {
    TokenRequest.Target(
      scope: invocation.texts(.scope).flatMap { $0.split(separator: " ").map { String($0) } },
      resources: invocation.texts(.resource), audience: invocation.text(.audience),
      isExchanged: invocation.has(.exchange))
  }
}
