package import Vocabulary

package enum AccountRequest: RequestBody {
  /// Adds an account without signing in. Requires issuer and client ID.
  case add(account: String, AccountSettings)

  /// Returns an account's settings; nil for the active account.
  case show(account: String?)

  /// Changes settings, and resets others.
  case set(account: String, AccountSettings, unset: [AccountSetting])

  case rename(account: String, to: String)

  /// Signs out and removes the settings. With `local`, the tokens are not revoked.
  case remove(account: String, local: Bool)

  /// Adds an account with a refresh token. Descriptors: the token, then the secrets in `handsOver`.
  case `import`(account: String, AccountSettings, handsOver: Set<HandedSecret>)

  /// The metadata of a client whose ID is a URL, for an account or, if nil, for the settings.
  case clientMetadata(account: String?, AccountSettings, handsOver: Set<HandedSecret>)

  static let declarations: [Self] = [
    .add(account: "", AccountSettings()), .show(account: nil),
    .set(account: "", AccountSettings(), unset: []), Self.rename(account: "", to: ""),
    Self.remove(account: "", local: false), Self.import(account: "", AccountSettings(), handsOver: []),
    Self.clientMetadata(account: nil, AccountSettings(), handsOver: []),
  ]

  package var row: RequestRow {
    switch self {
    case .add(let account, _): RequestRow("account_add", .change, about: .account(account))
    case .show(let account): RequestRow("account_show", .local, about: .accountOrActive(account))
    case .set(let account, _, _): RequestRow("account_set", .change, about: .account(account))
    case .rename(let account, _): RequestRow("account_rename", .change, about: .account(account))
    case .remove(let account, _):
      RequestRow("account_remove", .change, from: .authorizationServer, about: .account(account))
    case .import(let account, _, _):
      RequestRow("account_import", .change, from: .authorizationServer, about: .account(account))
    case .clientMetadata(let account, let settings, _):
      RequestRow(
        "account_client_metadata",
        about: settings.clientID == nil ? .accountOrActive(account) : .accountOrAny(account))
    }
  }

  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {
    let named = "The account."
    switch self {
    case .add(var account, var settings):
      try members.text("account", &account, "The name of the new account.")
      try members.settings(&settings)
      self = .add(account: account, settings)
    case .show(var account):
      try members.text("account", &account, "The account (default: the active one).")
      self = .show(account: account)
    case .set(var account, var settings, let unset):
      var names = unset.map(\.name)
      try members.text("account", &account, named)
      try members.settings(&settings)
      try members.texts(
        "unset", &names,
        "Settings to reset, by name; not `issuer` and `client_id`, nor `no_proxy` and `proxy_source`, which are reset"
          + " with `proxy`.")
      let resets = names.compactMap(AccountSetting.named).filter(\.canBeUnset)
      try members.check(resets.count == names.count, Phrase("\"unset\" must list settings that can be reset"))
      self = .set(account: account, settings, unset: resets)
    case .rename(var account, var newName):
      try members.text("account", &account, named)
      try members.text("new_name", &newName, "The new name.")
      self = .rename(account: account, to: newName)
    case .remove(var account, var local):
      try members.text("account", &account, named)
      try members.flag("local", &local, "Delete the session here without revoking it at the server.")
      self = .remove(account: account, local: local)
    case .import(var account, var settings, var handsOver):
      try members.text("account", &account, "The name of the new account.")
      try members.settings(&settings)
      try HandedSecret.pass(&handsOver, &members)
      self = .import(account: account, settings, handsOver: handsOver)
    case .clientMetadata(var account, var settings, var handsOver):
      try members.text("account", &account, "The account (default: none, with `client_id`).")
      try members.settings(&settings)
      try HandedSecret.pass(&handsOver, &members)
      self = .clientMetadata(account: account, settings, handsOver: handsOver)
    }
  }

  package var page: RequestPage {
    let account = MemberRow("account", "text", "The account.")
    let active = MemberRow("active", "boolean", "Whether it is the active one.")
    switch self {
    case .add:
      return RequestPage(
        "Adds an account without a sign-in. `issuer` and `client_id` are required.", result: [account, active])
    case .show:
      return RequestPage(
        "Returns the settings of an account. None of them is secret.",
        result: [
          account, active,
          MemberRow("directory", "text", "The directory that the account was chosen for; absent if by name or active."),
          MemberRow("protection", "text", "How its record in the vault opens; absent without one."),
          MemberRow("preset", "object", AccountMember.presetMeaning, members: AccountMember.presetRows),
          MemberRow(
            "settings", "object", "The settings, as in agent-config(5).",
            members: AccountSetting.all.map(MemberRow.init),
            isElsewhere: true),
        ])
    case .set:
      return RequestPage(
        "Changes the given settings and resets those in `unset`.",
        result: [
          account,
          MemberRow(
            "signed_out", "boolean", "Whether it is signed out until the change is undone or the user signs in again."),
          MemberRow("setting", "text", "The setting that signs it out."),
          MemberRow(
            "kept", "boolean", "The access token, which is the entire session, is now stored; see `keep`."),
        ], note: "`protect` needs an unlocked level; `vault_create` makes one that does not exist yet.")
    case .rename:
      return RequestPage(
        "Renames an account; its session continues. An existing name is refused.",
        result: [
          MemberRow("account", "text", "The new name."), MemberRow("renamed_from", "text", "The old name."), active,
        ])
    case .remove:
      return RequestPage(
        "Signs out and deletes the settings. If the account was the active one, another becomes active.",
        result: [
          account, MemberRow("revoked", "boolean", "Whether the server confirmed the end of the session."),
          MemberRow("detail", "text", "If not, why."),
          MemberRow(
            "client_deleted", "boolean",
            "Whether the client registered for the account was deleted; absent without one."
          ),
          MemberRow("client_detail", "text", "If not, why."),
          MemberRow("active_account", "text", "The new active account, if that changed."),
        ])
    case .import:
      return RequestPage(
        "Adds an account with a refresh token, which is used once to check it. `issuer` and `client_id` are required.",
        result: [
          account, MemberRow("issuer", "text", "Its authorization server."),
          MemberRow("subject", "text", "The user, according to the ID Token if there is one."),
          MemberRow("scope", "text", "The granted scope."),
          MemberRow("expires_at", "number", "When the access token expires."),
          MemberRow("renews", "boolean", "Tokens are renewed without the user."),
        ],
        note:
          "A descriptor with the refresh token follows, as `SCM_RIGHTS`, then the announced ones. Each message has one"
          + " descriptor, so the line is then sent in several parts.")
    case .clientMetadata:
      return RequestPage(
        "Returns the metadata to publish for a client whose identifier is the URL of that document"
          + " (draft-ietf-oauth-client-id-metadata-document-03): that of the account, or of `client_id` without one. Nothing"
          + " is sent.",
        result: [
          MemberRow("client_id", "text", "The URL."),
          MemberRow("client_name", "text", "The name that the server shows to users."),
          MemberRow("application_type", "text", "`native`."),
          MemberRow("grant_types", "list of texts", "The grant types in use."),
          MemberRow("response_types", "list of texts", "`code`."),
          MemberRow("redirect_uris", "list of texts", "The redirect URI of such a client at all servers."),
          MemberRow("token_endpoint_auth_method", "text", "`none` or `private_key_jwt`."),
          MemberRow(
            "jwks", "object", "The public half of the client's key.",
            members: [MemberRow("keys", "list of objects", "The key.")]),
          MemberRow("scope", "text", "The scope of the account."),
          MemberRow("dpop_bound_access_tokens", "boolean", "Whether tokens are bound to a key."),
          MemberRow("id_token_signed_response_alg", "text", "The algorithm of ID Tokens, if the settings have one."),
          MemberRow("userinfo_signed_response_alg", "text", "The algorithm of UserInfo, if the settings have one."),
        ])
    }
  }
}
