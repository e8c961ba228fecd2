internal import Encoding
internal import OAuth
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

extension Failure {
  /// Describes an error response of a resource; nil for a success or a redirect.
  ///
  /// - Parameter isForGood: Whether the resource has also rejected a new token, now or recently.
  init?(
    _ head: ResourceHead, _ verdict: ResourceVerdict, from origin: String, of account: LiveAccount, isForGood: Bool
  ) {
    let name = account.name.text
    switch verdict {
    case .insufficientAuthentication(let acrValues, let maxAge):
      self.init(
        .stepUpNeeded, "\(origin) wants a sign-in of another kind, or a more recent one",
        hint: Self.stepUp(name, acrValues, maxAge))
    case .insufficientScope(let needed):
      self.init(
        .accessDenied, "\(origin) wants a scope that the token does not have", hint: Self.scopes(account, needed))
    case .insufficientClaims(let claims):
      let wanted = claims.map { ": " + TerminalText.clean($0.text, limit: 400) } ?? ""
      let answer = claims.map { " --claims-challenge \($0.challenge)" } ?? ""
      self.init(
        .stepUpNeeded, "\(origin) wants claims that the token does not have\(wanted)",
        hint: "agent login \(name)\(answer)")
    case .proofRefused:
      self.init(
        .serverRejected, "\(origin) did not accept the proof of the account's key (DPoP)",
        hint: "run the command again; if that does not help, see that this machine's clock is right")
    case .refused where isForGood:
      self.init(
        .tokenRefused, "\(origin) refuses the tokens of \(name), new ones too; the session itself is good",
        hint: "agent login \(name)")
    case .refused:
      self.init(
        .tokenRefused, "\(origin) refused the token; what was sent is not kept, so it could not be sent again",
        hint: "run the command again: it gets a new token")
    case .redirected: return nil
    case .none:
      guard let code = Self.code(ofStatus: head.status) else { return nil }
      self.init(code, "\(origin) answered with status \(head.status)", hint: Self.wait(head, code))
    }
  }

  private static func code(ofStatus status: Int) -> FailureCode? {
    switch status {
    case ..<400: nil
    case 403: .accessDenied
    // Temporary errors (RFC 9110 sections 15.5.9 and 15.6, RFC 8470, RFC 6585).
    case 408, 425, 429, 500...: .serverUnavailable
    default: .serverRejected
    }
  }

  private static func wait(_ head: ResourceHead, _ code: FailureCode) -> Phrase? {
    guard code == .serverUnavailable, let seconds = head.headers.retryAfterSeconds(now: head.headers.date) else {
      return nil
    }
    return Phrase("try again in \(seconds) seconds")
  }

  // MARK: Commands

  /// RFC 9470 section 4: the values of the challenge go into the next sign-in.
  private static func stepUp(_ account: String, _ acrValues: [String], _ maxAge: Int?) -> Phrase {
    var command = "agent login \(account)"
    if let value = acrValues.first, isPlain(value) { command += " --acr \(value)" }
    if let maxAge { command += " --max-age \(maxAge)" }
    return Phrase(verbatim: command)
  }

  /// A sign-in asks for all of its scope, so what there is comes along.
  private static func scopes(_ account: LiveAccount, _ needed: [String]) -> Phrase {
    let current =
      account.configuration.scope + (account.session.grant?.scope ?? "").split(separator: " ").map(String.init)
    var scopes: [String] = []
    for scope in current + needed where !scopes.contains(scope) { scopes.append(scope) }
    guard !needed.isEmpty, scopes.allSatisfy(isPlain) else {
      return Phrase(verbatim: "agent login \(account.name.text) --scope SCOPE")
    }
    return Phrase(verbatim: "agent login \(account.name.text) --scope '\(scopes.joined(separator: " "))'")
  }

  /// Whether a server's word can stand in a command that a person may copy into a shell.
  private static func isPlain(_ word: String) -> Bool {
    (1...128).contains(word.utf8.count) && word.utf8.first != UInt8(ascii: "-")
      && word.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._:/+@,=%".utf8.contains(byte)
        }
      }
  }
}
