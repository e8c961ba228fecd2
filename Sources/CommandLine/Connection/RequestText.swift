internal import Wire

/// A request as `--verbose` tells it: its name and the account, and nothing that could be a secret.
enum RequestText {
  static func text(_ request: Request, timeoutSeconds: Int?) -> String {
    var text = request.name
    if let account = account(of: request) { text += " for the account \(account)" }
    if case .token(let token) = request {
      if token.forceRefresh { text += ", a new one" }
      if let seconds = token.minimumValiditySeconds { text += ", good for \(DurationText.text(seconds: seconds)) more" }
    }
    if let timeoutSeconds { text += ", within \(DurationText.text(seconds: timeoutSeconds))" }
    return text
  }

  private static func account(of request: Request) -> String? {
    switch request {
    case .token(let token): token.account
    case .proof(let proof): proof.account
    case .login(let login): login.account
    case .logout(let logout): logout.account
    case .status(let account, check: _), .whoami(let account): account
    case .use(let account): account
    case .account(let request): request.account
    case .list, .daemonStatus, .daemonStop, .daemonLog: nil
    }
  }
}
