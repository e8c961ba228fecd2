package import Vocabulary

package enum AccountRequest: RequestBody {
  /// Adds an account without signing in. Requires issuer and client ID.
  case add(account: String, AccountSettings)

  /// Returns an account's settings; nil for the active account.
  case show(account: String?)

  /// Changes the given settings, and resets those in `unset`.
  case set(account: String, AccountSettings, unset: [AccountSetting])

  case rename(account: String, to: String)

  /// Signs out and removes the settings. With `local`, the tokens are not revoked.
  case remove(account: String, local: Bool)

  /// Adds an account with a refresh token. Descriptors: the token, then the secrets in `passedSecrets`.
  case `import`(account: String, AccountSettings, passedSecrets: Set<PassedSecret>)

  /// The metadata of a client whose ID is a URL, for an account or, if nil, for the settings.
  case clientMetadata(account: String?, AccountSettings, passedSecrets: Set<PassedSecret>)

  static let declarations: [Self] = [
    .add(account: "", AccountSettings()), .show(account: nil),
    .set(account: "", AccountSettings(), unset: []), Self.rename(account: "", to: ""),
    Self.remove(account: "", local: false), Self.import(account: "", AccountSettings(), passedSecrets: []),
    Self.clientMetadata(account: nil, AccountSettings(), passedSecrets: []),
  ]

  package var properties: RequestProperties {
    switch self {
    case .add(let account, _): RequestProperties("account_add", .change, about: .account(account))
    case .show(let account): RequestProperties("account_show", .local, about: .accountOrActive(account))
    case .set(let account, _, _): RequestProperties("account_set", .change, about: .account(account))
    case .rename(let account, _): RequestProperties("account_rename", .change, about: .account(account))
    case .remove(let account, _):
      RequestProperties("account_remove", .change, from: .authorizationServer, about: .account(account))
    case .import(let account, _, _):
      RequestProperties("account_import", .change, from: .authorizationServer, about: .account(account))
    case .clientMetadata(let account, let settings, _):
      RequestProperties(
        "account_client_metadata",
        about: settings.clientID == nil ? .accountOrActive(account) : .accountOrAny(account))
    }
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    let named = "The account."
    switch self {
    case .add(var account, var settings):
      try members.visitText("account", &account, "The name of the new account.")
      try members.visitSettings(&settings)
      self = .add(account: account, settings)
    case .show(var account):
      try members.visitText("account", &account, "The account (default: the active one).")
      self = .show(account: account)
    case .set(var account, var settings, let unset):
      var names = unset.map(\.name)
      try members.visitText("account", &account, named)
      try members.visitSettings(&settings)
      try members.visitTexts(
        "unset", &names,
        "Settings to reset, by name; not `issuer` and `client_id`, nor `no_proxy` and `proxy_source`, which are reset"
          + " with `proxy`.")
      let resets = names.compactMap(AccountSetting.named).filter(\.canBeUnset)
      try members.check(resets.count == names.count, Phrase("\"unset\" must list settings that can be reset"))
      self = .set(account: account, settings, unset: resets)
    case .rename(var account, var newName):
      try members.visitText("account", &account, named)
      try members.visitText("new_name", &newName, "The new name.")
      self = .rename(account: account, to: newName)
    case .remove(var account, var local):
      try members.visitText("account", &account, named)
      try members.visitFlag("local", &local, "Delete the session here without revoking it at the server.")
      self = .remove(account: account, local: local)
    case .import(var account, var settings, var passedSecrets):
      try members.visitText("account", &account, "The name of the new account.")
      try members.visitSettings(&settings)
      try PassedSecret.visitFlags(&passedSecrets, &members)
      self = .import(account: account, settings, passedSecrets: passedSecrets)
    case .clientMetadata(var account, var settings, var passedSecrets):
      try members.visitText("account", &account, "The account (default: none, with `client_id`).")
      try members.visitSettings(&settings)
      try PassedSecret.visitFlags(&passedSecrets, &members)
      self = .clientMetadata(account: account, settings, passedSecrets: passedSecrets)
    }
  }

  package var manualEntry: RequestManualEntry {
    let account = MemberDescription("account", "text", "The account.")
    let active = MemberDescription("active", "boolean", "Whether it is the active one.")
    switch self {
    case .add:
      return RequestManualEntry(
        "Adds an account without a sign-in. `issuer` and `client_id` are required.", result: [account, active])
    case .show:
      return RequestManualEntry(
        "Returns the settings of an account. None of them is secret.",
        result: [
          account, active,
          MemberDescription(
            "directory", "text", "The directory that the account was chosen for; absent if by name or active."),
          MemberDescription("protection", "text", "How its record in the vault opens; absent without one."),
          MemberDescription("preset", "object", AccountMember.presetMeaning, members: AccountMember.presetMembers),
          MemberDescription(
            "settings", "object", "The settings, as in agent-config(5).",
            members: AccountSetting.all.map(MemberDescription.init),
            isElsewhere: true),
        ])
    case .set:
      return RequestManualEntry(
        "Changes the given settings and resets those in `unset`.",
        result: [
          account,
          MemberDescription(
            "signed_out", "boolean", "Whether it is signed out until the change is undone or the user signs in again."),
          MemberDescription("setting", "text", "The setting that signs it out."),
          MemberDescription(
            "kept", "boolean", "The access token, which is the entire session, is now stored; see `keep`."),
        ], note: "`protect` needs an unlocked level; `vault_create` makes one that does not exist yet.")
    case .rename:
      return RequestManualEntry(
        "Renames an account; its session continues. An existing name is refused.",
        result: [
          MemberDescription("account", "text", "The new name."),
          MemberDescription("renamed_from", "text", "The old name."), active,
        ])
    case .remove:
      return RequestManualEntry(
        "Signs out and deletes the settings. If the account was the active one, another becomes active.",
        result: [
          account, MemberDescription("revoked", "boolean", "Whether the server confirmed the end of the session."),
          MemberDescription("detail", "text", "If not, why."),
          MemberDescription(
            "client_deleted", "boolean",
            "Whether the client registered for the account was deleted; absent without one."
          ),
          MemberDescription("client_detail", "text", "If not, why."),
          MemberDescription("active_account", "text", "The new active account, if that changed."),
        ])
    case .import:
      return RequestManualEntry(
        "Adds an account with a refresh token, which is used once to check it. `issuer` and `client_id` are required.",
        result: [
          account, MemberDescription("issuer", "text", "Its authorization server."),
          MemberDescription("subject", "text", "The user, according to the ID Token if there is one."),
          MemberDescription("scope", "text", "The granted scope."),
          MemberDescription("expires_at", "number", "When the access token expires."),
          MemberDescription("renews", "boolean", "Tokens are renewed without the user."),
        ],
        note:
          "A descriptor with the refresh token follows, as `SCM_RIGHTS`, then the announced ones. Each message has one"
          + " descriptor, so the line is then sent in several parts.")
    case .clientMetadata:
      return RequestManualEntry(
        "Returns the metadata to publish for a client whose identifier is the URL of that document"
          + " (draft-ietf-oauth-client-id-metadata-document-03): that of the account, or of `client_id` without one. Nothing"
          + " is sent.",
        result: [
          MemberDescription("client_id", "text", "The URL."),
          MemberDescription("client_name", "text", "The name that the server shows to users."),
          MemberDescription("application_type", "text", "`native`."),
          MemberDescription("grant_types", "list of texts", "The grant types in use."),
          MemberDescription("response_types", "list of texts", "`code`."),
          MemberDescription("redirect_uris", "list of texts", "The redirect URI of such a client at all servers."),
          MemberDescription("token_endpoint_auth_method", "text", "`none` or `private_key_jwt`."),
          MemberDescription(
            "jwks", "object", "The public half of the client's key.",
            members: [MemberDescription("keys", "list of objects", "The key.")]),
          MemberDescription("scope", "text", "The scope of the account."),
          MemberDescription("dpop_bound_access_tokens", "boolean", "Whether tokens are bound to a key."),
          MemberDescription(
            "id_token_signed_response_alg", "text", "The algorithm of ID Tokens, if the settings have one."),
          MemberDescription(
            "userinfo_signed_response_alg", "text", "The algorithm of UserInfo, if the settings have one."),
        ])
    }
  }
}
