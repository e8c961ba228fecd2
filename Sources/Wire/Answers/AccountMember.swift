package import Encoding

/// The members of an account in responses.
package enum AccountMember: String, CaseIterable, Sendable {
  case name, active, directories, origins, person, issuer, state, guest, assertion, ephemeral
  case expiresAt = "expires_at"
  /// When the session ends, if soon.
  case signInBy = "sign_in_by"
  /// False if the account was deleted from the settings by hand.
  case inConfig = "in_config"
  case preset
  case clientID = "client_id"
  case subject, scope, protection, refresh
  case authorizationDetails = "authorization_details"
  case refreshTokenExpiresAt = "refresh_token_expires_at"
  case authorizationExpiresAt = "authorization_expires_at"
  case clientSecretExpiresAt = "client_secret_expires_at"
  /// The `x5t#S256` of tokens bound to the client certificate (RFC 8705).
  case certificateThumbprint = "certificate_thumbprint"
  case certificateExpiresAt = "certificate_expires_at"
  case refreshQueued = "refresh_queued"
  case lastRefresh = "last_refresh"
  case httpLoopback = "http_loopback"
  case caFile = "ca_file"
  case proxy, problem, check
  /// How the session ended at the server: `revoked` or `expired`.
  case checkCause = "check_cause"
  case checkProblem = "check_problem"
  case tokenFiles = "token_files"
  /// `option` if an option named the proxy.
  case proxySource = "proxy_source"
  /// The scope in the settings, unlike the granted `scope`.
  case askedScope = "asked_scope"
  case nextRenewal = "next_renewal"
  /// When the latest refresh failed; absent after a success.
  case failedAt = "failed_at"
  /// Origins that the user has not confirmed.
  case unconfirmedOrigins = "unconfirmed_origins"
  /// How the authorization server responded.
  case server

  /// Responses with accounts. Each includes the previous ones' members.
  package enum Answer: Int, Sendable {
    case list, status, doctor
  }

  /// The first answer with the member, its kind and its meaning.
  private var declaration: (Answer, kind: MemberKind, meaning: String) {
    switch self {
    case .name: (.list, .account, "The name.")
    case .active: (.list, .boolean, "Whether commands without an account use it.")
    case .directories:
      (.list, .texts, "The directories in which commands without an account use it.")
    case .origins: (.list, .texts, "The origins that may get the token.")
    case .person: (.list, .text, "The user's email address or name.")
    case .issuer: (.list, .url, "The authorization server.")
    case .state: (.list, .word(SessionState.self), "One of \(MemberDescriber.words(SessionState.self)).")
    case .guest: (.list, .constant(true), "The session has no user.")
    case .assertion: (.list, .constant(true), "The session has no user, and a JWT renews it.")
    case .ephemeral: (.list, .constant(true), "The account exists in memory only.")
    case .expiresAt: (.list, .time, "When the access token expires.")
    case .signInBy:
      (.list, .time, "The end of the session, if it is so near that the user should sign in again.")
    case .inConfig:
      (
        .list, .constant(false),
        "False for an account that was deleted from the settings by hand. Its session is neither used nor renewed."
      )
    case .preset: (.list, .preset, Self.presetMeaning)
    case .clientID: (.status, .text, "The client ID.")
    case .subject: (.status, .text, "The user, according to the ID Token.")
    case .scope: (.status, .text, "The granted scope.")
    case .protection:
      (.status, .word(Protection.self), "How its record in the vault opens: \(MemberDescriber.words(Protection.self)).")
    case .refresh:
      (.status, .word(RefreshPolicy.self), "The refresh policy: \(MemberDescriber.words(RefreshPolicy.self)).")
    case .authorizationDetails: (.status, .objects, "The granted authorization details (RFC 9396).")
    case .refreshTokenExpiresAt: (.status, .time, "The end of the refresh token, according to the server.")
    case .authorizationExpiresAt: (.status, .time, "The end of the session, according to the server.")
    case .clientSecretExpiresAt: (.status, .time, "When the registered client's secret expires.")
    case .certificateThumbprint:
      (.status, .pattern("^[A-Za-z0-9_-]+$"), "`x5t#S256` of tokens bound to the client certificate (RFC 8705).")
    case .certificateExpiresAt: (.status, .time, "When the client certificate expires.")
    case .refreshQueued: (.status, .constant(true), "A refresh waits for the network or the server.")
    case .lastRefresh: (.status, .time, "When the token was last refreshed.")
    case .httpLoopback: (.status, .constant(true), "Plain http is allowed on this machine.")
    case .caFile: (.status, .text, "The file of the certificate authorities.")
    case .proxy: (.status, .text, "The proxy.")
    case .problem:
      (
        .list, .failure,
        "An error object: why the account cannot be used, or the last failure; in `list` only why the vault"
          + " cannot be read."
      )
    case .check: (.status, .word(CheckResult.self), "With `check`, one of \(MemberDescriber.words(CheckResult.self)).")
    case .checkCause:
      (.status, .words(["revoked", "expired"]), "How the session ended at the server: `revoked` or `expired`.")
    case .checkProblem: (.status, .failure, "An error object: why the check failed.")
    case .tokenFiles:
      (.list, .texts, "The values of `token_files`.")
    case .proxySource: (.doctor, .words(["option"]), "`option` if an option named the proxy, or `none`.")
    case .askedScope: (.doctor, .text, "The scope in the settings.")
    case .nextRenewal: (.status, .time, "When the session will be renewed without a caller.")
    case .failedAt: (.doctor, .time, "When the last refresh failed.")
    case .unconfirmedOrigins: (.doctor, .texts, "Origins never confirmed.")
    case .server: (.doctor, .object, "The response of the authorization server.")
    }
  }

  private static let required: Set<AccountMember> = [.name, .active, .issuer, .state, .clientID, .refresh]

  private static func all(of answer: Answer) -> [AccountMember] {
    allCases.filter { $0.declaration.0.rawValue <= answer.rawValue }
  }

  /// The members of `answer`, except those of `previous`.
  package static func descriptions(of answer: Answer, beyond previous: Answer? = nil) -> [MemberDescription] {
    all(of: answer).filter { $0.declaration.0.rawValue > (previous?.rawValue ?? -1) }.map { member in
      MemberDescription(
        member.rawValue, member.declaration.kind.type, member.declaration.meaning,
        members: member == .server ? Self.serverMembers : member == .preset ? presetMembers : [])
    }
  }

  package static let presetMeaning = "The administrator's file for accounts of this name."

  package static var presetMembers: [MemberDescription] {
    [
      .text("file", "The file."),
      .texts("unchanged", "The settings that have the file's values."),
      .texts("changed", "The settings that the user changed."),
    ]
  }

  /// An account's JSON schema definitions, by response.
  package static var schemas: [(name: String, text: String)] {
    [("list_account", Answer.list), ("status_account", .status)].map { name, answer in
      let members = all(of: answer)
      let lines = members.map { "        \"\($0.rawValue)\": \($0.declaration.kind.schema)" }
      let names = members.filter(required.contains).map { "\"\($0.rawValue)\"" }
      return (
        name,
        """
            "\(name)": {
              "type": "object",
              "properties": {
        \(lines.joined(separator: ",\n"))
              },
              "required": [\(names.joined(separator: ", "))],
              "additionalProperties": false
            },

        """
      )
    }
  }

  private static var serverMembers: [MemberDescription] {
    [
      .number("milliseconds", "The response time."),
      .number("clock_offset", "How far this machine's clock is ahead, in seconds."),
      .number("keys", "The number of published keys."),
      .number("unusable_keys", "The number of further published keys that cannot be used, if any."),
      .object("problem", "An error object."),
    ]
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
