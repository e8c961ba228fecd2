internal import Encoding
internal import OAuth
internal import Sessions
internal import Wire

extension Failure {
  /// Describes an error response to a request with `grant`'s token. Nil for a success or redirect. `isPermanent` means
  /// that even new tokens are rejected.
  init?(
    _ head: ResourceHead, _ verdict: ResourceVerdict, to transfer: ResourceTransfer, with grant: AccessGrant,
    of account: Account, isPermanent: Bool
  ) {
    let (name, origin) = (account.name.text, transfer.target.origin.text)
    switch verdict {
    case .insufficientAuthentication(let acrValues, let maxAge):
      self.init(
        .stepUpNeeded, "\(origin) requires a different or more recent sign-in",
        hint: Self.stepUpHint(name, acrValues, maxAge))
    case .insufficientScope(let needed) where !needed.isEmpty && grant.missing(needed).isEmpty:
      self.init(
        .accessDenied, "\(origin) does not permit this, although the token has the required scope",
        hint: "ask the service's administrator for permission")
    case .insufficientScope(let needed):
      let missing = grant.missing(needed)
      let list =
        missing.isEmpty
        ? "" : ": " + TerminalText.clean(missing.joined(separator: " "), limit: Self.maximumScopeListBytes)
      let fact = Phrase("\(origin) requires a scope that the token of \(name) does not have\(list)")
      self.init(
        .accessDenied,
        account.ignoresScope
          ? Phrase("\(fact); \(account.configuration.issuer) gives every token of the account all its scopes") : fact,
        hint: Self.scopeHint(account, transfer, grant, needed))
    case .insufficientClaims(let claims):
      let wanted = claims.map { ": " + TerminalText.clean($0.text, limit: 400) } ?? ""
      let answer = claims.flatMap { Self.option("claims-challenge", $0.challenge) } ?? ""
      self.init(
        .stepUpNeeded, "\(origin) requires claims that the token does not have\(wanted)",
        hint: .command("agent login \(name)\(answer)"))
    case .proofRefused:
      self.init(
        .serverRejected, "\(origin) did not accept the proof of the account's key (DPoP)",
        hint: "run the command again; if that does not help, check this machine's clock")
    case .refused(let needed) where isPermanent:
      self.init(
        .tokenRefused, "\(origin) refuses the tokens of \(name), even new ones; the session itself is valid",
        hint: grant.missing(needed).isEmpty
          ? .command("agent login \(name)") : Self.scopeHint(account, transfer, grant, needed))
    case .refused:
      self.init(
        .tokenRefused, "\(origin) refused the token; the request could not be repeated, because its data was not kept",
        hint: "run the command again: it gets a new token")
    case .redirected: return nil
    case .none:
      guard let code = Self.code(ofStatus: head.status) else { return nil }
      self.init(
        code, "\(origin) answered with status \(head.status)",
        hint: Self.retryHint(head, code) ?? Self.organizationHint(head))
    }
  }

  /// Nil below 400.
  private static func code(ofStatus status: Int) -> FailureCode? {
    switch status {
    case ..<400: nil
    case 403: .accessDenied
    // Temporary errors (RFC 9110 sections 15.5.9 and 15.6, RFC 8470, RFC 6585).
    case 408, 425, 429, 500...: .serverUnavailable
    default: .serverRejected
    }
  }

  private static func retryHint(_ head: ResourceHead, _ code: FailureCode) -> Phrase? {
    guard code == .serverUnavailable, let seconds = head.headers.retryAfterSeconds(now: head.headers.date) else {
      return nil
    }
    return Phrase("try again in \(seconds) s")
  }

  /// Suggests authorizing the token for a GitHub organization (`X-GitHub-SSO`).
  private static func organizationHint(_ head: ResourceHead) -> Phrase? {
    guard head.status == 403, let field = head.headers["X-GitHub-SSO"],
      let url = field.split(separator: ";").map({ $0.drop { $0 == " " } }).first(where: {
        $0.utf8.starts(with: "url=".utf8)
      }),
      case let page = String(url.dropFirst(4)), (try? URI(page))?.isHTTPS == true,
      page.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-._~/:?&=%".utf8.contains($0) })
    else { return nil }
    return Phrase("authorize the token for the organization: \(TerminalText.clean(page, limit: 2048))")
  }

  // MARK: Commands

  /// According to the challenge (RFC 9470 section 4).
  private static func stepUpHint(_ account: String, _ acrValues: [String], _ maxAge: Int?) -> Phrase {
    var command = "agent login \(account)"
    command += acrValues.first.flatMap { option("acr", $0) } ?? ""
    if let maxAge { command += " --max-age \(maxAge)" }
    return .command(command)
  }

  private static func scopeHint(
    _ account: Account, _ transfer: ResourceTransfer, _ grant: AccessGrant, _ needed: [String]
  ) -> Phrase {
    let unknown = Phrase("sign in with this scope included in \("--scope")")
    // The list must be short enough to review.
    guard !needed.isEmpty, needed.joined(separator: " ").utf8.count <= maximumScopeListBytes else { return unknown }
    if transfer.requestSpecifiesTarget { return Phrase("request a token that includes it: \("--scope")") }
    let scopes = grant.scopes + grant.missing(needed)
    let entry = transfer.entry ?? OriginEntry(transfer.target.origin.text, allowHTTPLoopback: true)
    let change =
      account.ownSlot.session.isRenewable
      ? entry.flatMap { option("host", $0.withScope(scopes).text) } : option("scope", scopes.joined(separator: " "))
    return change.map { .command("agent login \(account.name.text)\($0)") } ?? unknown
  }

  private static let maximumScopeListBytes = 400

  private static let maximumOptionValueBytes = 4096

  /// An option after a space. Nil if the server's text is unsafe to paste.
  private static func option(_ name: String, _ text: String) -> String? {
    guard (1...maximumOptionValueBytes).contains(text.utf8.count), ShellWord.isHarmless(text) else { return nil }
    return " --\(name)\(text.utf8.first == UInt8(ascii: "-") ? "=" : " ")\(ShellWord.quoted(text))"
  }
}

extension AccessGrant {
  fileprivate var scopes: [String] { (scope ?? "").split(separator: " ").map(String.init) }

  /// Scopes in `needed` that the server did not grant.
  fileprivate func missing(_ needed: [String]) -> [String] {
    let granted = Set(scopes)
    return needed.filter { !granted.contains($0) }
  }
}

extension Account {
  /// Whether the server granted more scope than a refresh requested.
  fileprivate var ignoresScope: Bool { slots.contains { $0.session.grant?.exceedsRequestedScope ?? false } }
}
