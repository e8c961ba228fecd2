internal import Encoding
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
    if case .call(let call) = request { text += ", \(call.method) \(place(of: call.url))" }
    if case .discover(let request) = request { text += ", \(place(of: request.url))" }
    if case .verify(let request) = request, let issuer = request.issuer { text += ", the keys of \(place(of: issuer))" }
    if let timeoutSeconds { text += ", within \(DurationText.text(seconds: timeoutSeconds))" }
    return text
  }

  /// A URL without its path and query, in which there may be secrets.
  private static func place(of url: String) -> String {
    guard let uri = try? URI(url) else { return "a URL that is not valid" }
    return uri.origin
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
    case .call(let call): call.account
    case .verify(let request): request.account
    case .events(let request): request.account
    case .tokenFile(let request): request.account
    case .discover(let request): request.account
    case .loginRedirect, .loginResume, .list, .daemonStatus, .daemonStop, .daemonLog, .vault: nil
    }
  }
}
