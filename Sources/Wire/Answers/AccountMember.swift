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

  /// The first answer with the member, and its meaning in the notation of the manual.
  private var row: (Answer, String?) {
    switch self {
    case .name, .issuer: (.list, nil)
    case .active: (.list, "whether commands without an account use it")
    case .person: (.list, "an email address or a name, for users")
    case .state: (.list, "one of \(Self.words(SessionState.self))")
    case .guest: (.list, "true for a session without a user")
    case .assertion: (.list, "true for a session without a user that a JWT renews")
    case .ephemeral: (.list, "true for an account that exists in memory only")
    case .expiresAt: (.list, "when the access token expires")
    case .signInBy:
      (.list, "the end of the session, if it is known and so near that users should sign in again")
    case .inConfig:
      (
        .list,
        "false for an account that was deleted from the settings by hand, whose session is neither used nor"
          + " renewed"
      )
    case .clientID, .subject, .scope, .caFile, .proxy: (.status, nil)
    case .protection: (.status, "how its record in the vault opens: \(Self.words(Protection.self))")
    case .refresh: (.status, "the refresh policy: \(Self.words(RefreshPolicy.self))")
    case .authorizationDetails: (.status, "the granted ones (RFC 9396)")
    case .refreshTokenExpiresAt, .authorizationExpiresAt: (.status, "the end of the session, according to the server")
    case .clientSecretExpiresAt, .certificateExpiresAt: (.status, nil)
    case .certificateThumbprint: (.status, "`x5t#S256` of tokens bound to the client certificate (RFC 8705)")
    case .refreshQueued: (.status, "true while a refresh waits for the network or the server")
    case .lastRefresh: (.status, "when the token was last refreshed")
    case .httpLoopback: (.status, "true if plain http is allowed on this machine")
    case .problem: (.status, "an error object: why the account cannot be used, or the last failure")
    case .check: (.status, "with `check`, one of \(Self.words(CheckResult.self))")
    case .checkCause: (.status, "of a session that has ended at the server: `revoked` or `expired`")
    case .checkProblem: (.status, "an error object: why the check failed")
    case .askedScope: (.doctor, "the scope in the settings")
    case .nextRenewal: (.doctor, nil)
    case .failedAt: (.doctor, "when the last refresh failed")
    case .origins: (.doctor, nil)
    case .unconfirmedOrigins: (.doctor, "those that only the settings list")
    case .server:
      (
        .doctor,
        "an object with `milliseconds`, `clock_offset` (seconds that this machine's clock is ahead), `keys` (the"
          + " number of published keys) and `problem`, an error object"
      )
    }
  }

  /// The members of an answer.
  package static func members(of answer: Answer) -> [AccountMember] {
    allCases.filter { $0.row.0.rawValue <= answer.rawValue }
  }

  /// The members of an answer with their meanings, in the notation of the manual.
  package static func description(of answer: Answer) -> String {
    let members = members(of: answer).map { member in
      "`\(member.rawValue)`" + (member.row.1.map { " (\($0))" } ?? "")
    }
    return "For each account: \(members.joined(separator: ", "))."
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
