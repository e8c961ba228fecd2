import Crypto
import Encoding
import Platform

/// The pages behind `verification_uri` (RFC 8628 section 3.3).
extension AuthorizationServer {
  /// What the user sent from one of the pages.
  private struct Submission {
    let typedCode: String
    let username: String
    /// Nil on the first page.
    let decision: String?
  }

  func verification(_ request: Request) throws(OAuthFailure) -> Response {
    guard request.method == .post else {
      let parameters = try? Parameters(query: request)
      return try codePage(request, typedCode: parameters?["user_code"] ?? "")
    }
    guard let parameters = try? Parameters(form: request) else {
      return try codePage(request, typedCode: "", problem: "That was not understood. Please try again.")
    }
    guard try checked({ () throws(CryptoError) in try formGuard.accepts(request, token: parameters["csrf"]) }) else {
      return try codePage(
        request, status: 403, typedCode: parameters["user_code"] ?? "",
        problem: "This form was too old or came from elsewhere. Please try again.")
    }
    let submission = Submission(
      typedCode: parameters["user_code"] ?? "", username: parameters["username"] ?? "",
      decision: parameters["decision"])
    return try handle(submission, request)
  }

  private func handle(_ submission: Submission, _ request: Request) throws(OAuthFailure) -> Response {
    let now = clock.now()
    guard withState({ $0.guesses.allowsGuess(at: now) }) else {
      var response = page.response(status: 429, title: "Slow down", "<p>Too many wrong codes. Wait a minute.</p>")
      response.headers.append(("Retry-After", "60"))
      return response
    }
    guard Self.isUsername(submission.username) else {
      return try codePage(
        request, typedCode: submission.typedCode, problem: "A name has letters, digits and . _ - @ only, at most 64.")
    }
    let grant: DeviceGrant
    do throws(DeviceGrants.CodeProblem) {
      grant = try self.grant(for: submission, at: now)
    } catch {
      withState { $0.guesses.noteWrongGuess(at: now) }
      return try codePage(request, typedCode: submission.typedCode, problem: Self.explanation(error))
    }
    return grant.decision == .pending
      ? try consentPage(request, grant, username: submission.username) : donePage(grant)
  }

  /// The authorization under the code that was typed, decided if the user decided.
  private func grant(
    for submission: Submission, at now: Instant
  ) throws(DeviceGrants.CodeProblem) -> DeviceGrant {
    guard let code = UserCode(typed: submission.typedCode) else { throw .unknown }
    switch submission.decision {
    case "approve": return try decide(code, approve: true, username: submission.username)
    case "deny": return try decide(code, approve: false, username: submission.username)
    default:
      return try withState { (state) throws(DeviceGrants.CodeProblem) in
        try state.devices.pending(code, at: now)
      }
    }
  }

  static func isUsername(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "._-@".utf8.contains($0) }
  }

  private static func explanation(_ problem: DeviceGrants.CodeProblem) -> String {
    switch problem {
    case .unknown: "There is no such code. Look again at your device."
    case .expired: "This code has expired. Start again on your device."
    case .used: "This code was used already. Start again on your device."
    }
  }

  private func codePage(
    _ request: Request, status: Int = 200, typedCode: String, problem: String? = nil
  ) throws(OAuthFailure) -> Response {
    let notice: Markup = problem.map { "<p role=\"alert\"><strong>\($0)</strong></p>" } ?? ""
    return try formPage(request, status: status, title: "Sign in on a device") {
      """
      \(notice)
      <p>Enter the code that your device shows. Go on only if you started this yourself.</p>
      <form method="post" action="/device">
      <input type="hidden" name="csrf" value="\($0)">
      <label for="user_code">Code</label>
      <input class="code" id="user_code" name="user_code" value="\(typedCode)" autocomplete="off" autofocus>
      <label for="username">User name</label>
      <input id="username" name="username" value="\(Self.demoUser)" autocomplete="off">
      <button type="submit">Continue</button>
      </form>
      """
    }
  }

  /// The code is shown again even when it came with the link (RFC 8628 section 3.3.1).
  private func consentPage(
    _ request: Request, _ grant: DeviceGrant, username: String
  ) throws(OAuthFailure) -> Response {
    let client = (try? client(grant.clientID).name) ?? grant.clientID
    let scopes = Markup.joined(grant.scope.values.map { "<li>\($0)</li>" })
    return try formPage(request, status: 200, title: "Allow access?") {
      """
      <p><strong>\(client)</strong> (\(grant.clientID)) asks for access as <strong>\(username)</strong>:</p>
      <ul>\(scopes)</ul>
      <p>Your device must show this code: <span class="code">\(grant.userCode.text)</span></p>
      <form method="post" action="/device">
      <input type="hidden" name="csrf" value="\($0)">
      <input type="hidden" name="user_code" value="\(grant.userCode.text)">
      <input type="hidden" name="username" value="\(username)">
      <button type="submit" name="decision" value="approve">Approve</button>
      <button type="submit" name="decision" value="deny">Deny</button>
      </form>
      """
    }
  }

  private func donePage(_ grant: DeviceGrant) -> Response {
    grant.decision == .denied
      ? page.response(title: "Access denied", "<p>The device gets nothing. You can close this page.</p>")
      : page.response(title: "Access approved", "<p>Return to your device. You can close this page.</p>")
  }

  private func formPage(
    _ request: Request, status: Int, title: String, content: (String) -> Markup
  ) throws(OAuthFailure) -> Response {
    try sealed(request, path: "/device") { page.response(status: status, title: title, content($0)) }
  }
}
