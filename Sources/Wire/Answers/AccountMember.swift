package import Encoding
internal import Vocabulary

/// The members of an account in the answers to `list`, `status` and `doctor`.
package enum AccountMember: String, CaseIterable, Sendable {
  case name, active, person, issuer, state, guest, assertion, ephemeral
  case expiresAt = "expires_at"
  case signInBy = "sign_in_by"
  case inConfig = "in_config"
  case clientID = "client_id"
  case subject, scope, protection, refresh
  case authorizationDetails = "authorization_details"
  case refreshTokenExpiresAt = "refresh_token_expires_at"
  case authorizationExpiresAt = "authorization_expires_at"
  case clientSecretExpiresAt = "client_secret_expires_at"
  case certificateThumbprint = "certificate_thumbprint"
  case certificateExpiresAt = "certificate_expires_at"
  case refreshQueued = "refresh_queued"
  case lastRefresh = "last_refresh"
  case httpLoopback = "http_loopback"
  case caFile = "ca_file"
  case proxy, problem, check
  case checkCause = "check_cause"
  case checkProblem = "check_problem"
  case askedScope = "asked_scope"
  case nextRenewal = "next_renewal"
  case failedAt = "failed_at"
  case origins
  case unconfirmedOrigins = "unconfirmed_origins"
  case server

  /// The answers that have members of accounts. Each has the members of those before it.
  package enum Answer: Int, Sendable {
    case list, status, doctor
  }

  /// The first answer with the member, the type of its value, and its meaning in the notation of the manual.
  private var declaration: (Answer, type: String, meaning: String) {
    switch self {
    case .name: (.list, "text", "The name.")
    case .active: (.list, "boolean", "Whether commands without an account use it.")
    case .person: (.list, "text", "The user's email address or name.")
    case .issuer: (.list, "text", "The authorization server.")
    case .state: (.list, "text", "One of \(Self.words(SessionState.self)).")
    case .guest: (.list, "boolean", "The session has no user.")
    case .assertion: (.list, "boolean", "The session has no user, and a JWT renews it.")
    case .ephemeral: (.list, "boolean", "The account exists in memory only.")
    case .expiresAt: (.list, "number", "When the access token expires.")
    case .signInBy:
      (.list, "number", "The end of the session, if it is so near that the user should sign in again.")
    case .inConfig:
      (
        .list, "boolean",
        "False for an account that was deleted from the settings by hand. Its session is neither used nor renewed."
      )
    case .clientID: (.status, "text", "The client ID.")
    case .subject: (.status, "text", "The user, according to the ID Token.")
    case .scope: (.status, "text", "The granted scope.")
    case .protection: (.status, "text", "How its record in the vault opens: \(Self.words(Protection.self)).")
    case .refresh: (.status, "text", "The refresh policy: \(Self.words(RefreshPolicy.self)).")
    case .authorizationDetails: (.status, "list of objects", "The granted authorization details (RFC 9396).")
    case .refreshTokenExpiresAt: (.status, "number", "The end of the refresh token, according to the server.")
    case .authorizationExpiresAt: (.status, "number", "The end of the session, according to the server.")
    case .clientSecretExpiresAt: (.status, "number", "When the registered client's secret expires.")
    case .certificateThumbprint:
      (.status, "text", "`x5t#S256` of tokens bound to the client certificate (RFC 8705).")
    case .certificateExpiresAt: (.status, "number", "When the client certificate expires.")
    case .refreshQueued: (.status, "boolean", "A refresh waits for the network or the server.")
    case .lastRefresh: (.status, "number", "When the token was last refreshed.")
    case .httpLoopback: (.status, "boolean", "Plain http is allowed on this machine.")
    case .caFile: (.status, "text", "The file of the certificate authorities.")
    case .proxy: (.status, "text", "The proxy.")
    case .problem:
      (
        .list, "object",
        "An error object: why the account cannot be used, or the last failure; in `list` only why the vault"
          + " cannot be read."
      )
    case .check: (.status, "text", "With `check`, one of \(Self.words(CheckResult.self)).")
    case .checkCause: (.status, "text", "How the session ended at the server: `revoked` or `expired`.")
    case .checkProblem: (.status, "object", "An error object: why the check failed.")
    case .askedScope: (.doctor, "text", "The scope in the settings.")
    case .nextRenewal: (.doctor, "number", "When the daemon will renew the token.")
    case .failedAt: (.doctor, "number", "When the last refresh failed.")
    case .origins: (.doctor, "list of texts", "The origins that may get the token.")
    case .unconfirmedOrigins: (.doctor, "list of texts", "Origins that only the settings list.")
    case .server: (.doctor, "object", "The answer of the authorization server.")
    }
  }

  /// The rows of an answer.
  package static func rows(of answer: Answer) -> [MemberRow] {
    allCases.filter { $0.declaration.0.rawValue <= answer.rawValue }.map { member in
      MemberRow(
        member.rawValue, member.declaration.type, member.declaration.meaning,
        members: member == .server ? Self.serverRows : [])
    }
  }

  private static var serverRows: [MemberRow] {
    [
      MemberRow("milliseconds", "number", "The time until the answer."),
      MemberRow("clock_offset", "number", "How far this machine's clock is ahead, in seconds."),
      MemberRow("keys", "number", "The number of published keys."),
      MemberRow("problem", "object", "An error object."),
    ]
  }

  private static func words<Word: CaseIterable & RawRepresentable<String>>(_: Word.Type) -> String {
    MemberDescriber.list(Word.allCases.map { "`\($0.rawValue)`" })
  }
}

extension JSONObject {
  package subscript(_ member: AccountMember) -> JSON? {
    get { self[member.rawValue] }
    set { self[member.rawValue] = newValue }
  }
}

extension JSON {
  package subscript(_ member: AccountMember) -> JSON? { self[member.rawValue] }
}
