/// Manages accounts.
package enum AccountRequest: RequestBody {
  /// Requires issuer and client ID.
  case add(account: String, AccountSettings)

  /// Returns the settings; nil for the active account.
  case show(account: String?)

  /// Changes settings, and resets those in `unset`.
  case set(account: String, AccountSettings, unset: [AccountSetting])

  case rename(account: String, to: String)

  /// Signs out, without revoking tokens if `local`, and removes the settings.
  case remove(account: String, local: Bool)

  /// Adds an account. Descriptors: its refresh token, then `passedSecrets`.
  case `import`(account: String, AccountSettings, passedSecrets: Set<PassedSecret>)

  /// Returns the metadata to publish for a client whose ID is a URL. Settings override the account's.
  case clientMetadata(account: String?, AccountSettings, passedSecrets: Set<PassedSecret>)

  /// All kinds, with blank members.
  static let declarations: [Self] = [
    .add(account: "", AccountSettings()), .show(account: nil),
    .set(account: "", AccountSettings(), unset: []), Self.rename(account: "", to: ""),
    Self.remove(account: "", local: false), Self.import(account: "", AccountSettings(), passedSecrets: []),
    Self.clientMetadata(account: nil, AccountSettings(), passedSecrets: []),
  ]

  package var properties: RequestProperties {
    switch self {
    case .add(let account, _): RequestProperties("account_add", .changesAccounts, about: .account(account))
    case .show(let account): RequestProperties("account_show", .local, about: .accountOrActive(account))
    case .set(let account, _, _): RequestProperties("account_set", .changesAccounts, about: .account(account))
    case .rename(let account, _): RequestProperties("account_rename", .changesAccounts, about: .account(account))
    case .remove(let account, _):
      RequestProperties("account_remove", .changesAccounts, from: .authorizationServer, about: .account(account))
    case .import(let account, _, _):
      RequestProperties("account_import", .changesAccounts, from: .authorizationServer, about: .account(account))
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
    let account = MemberDescription.text("account", "The account.")
    let active = MemberDescription.flag("active", "Whether it is the active one.")
    switch self {
    case .add:
      return RequestManualEntry(
        "Adds an account without a sign-in. `issuer` and `client_id` are required.", result: [account, active])
    case .show:
      return RequestManualEntry(
        "Returns the settings of an account. None of them is secret.",
        result: [
          account, active,
          .text("directory", "The directory that the account was chosen for."),
          .text("protection", "How its record in the vault opens."),
          .object("preset", AccountMember.presetMeaning, members: AccountMember.presetMembers),
          .object(
            "settings", "The settings, as in agent-config(5).",
            members: AccountSetting.all.map(MemberDescription.init),
            isElsewhere: true),
        ])
    case .set:
      return RequestManualEntry(
        "Changes the given settings and resets those in `unset`.",
        result: [
          account,
          .flag("signed_out", "Whether it is signed out until you undo the change or sign in."),
          .text("setting", "The setting that signs it out."),
          .flag("kept", "The access token, which is the entire session, is now stored."),
        ], note: "`protect` needs an unlocked level; `vault_create` makes one that does not exist yet.")
    case .rename:
      return RequestManualEntry(
        "Renames an account; its session continues. An existing name is refused.",
        result: [
          .text("account", "The new name."),
          .text("renamed_from", "The old name."), active,
        ])
    case .remove:
      return RequestManualEntry(
        "Signs out and deletes the settings. If the account was the active one, another becomes active.",
        result: [
          account, .flag("revoked", "Whether the server confirmed the end."),
          .text("detail", "If not, why."),
          .flag("client_deleted", "Whether the client that was registered for it was deleted."),
          .text("client_detail", "If not, why."),
          .text("active_account", "The new active account, if that changed."),
        ])
    case .import:
      return RequestManualEntry(
        "Adds an account with a refresh token, which is used once to check it. `issuer` and `client_id` are required.",
        result: [
          account, .text("issuer", "Its authorization server."),
          .text("subject", "The user, according to the ID Token if there is one."),
          .text("scope", "The granted scope."),
          .number("expires_at", "When the access token expires."),
          .flag("renews", "Tokens are renewed without the user."),
        ],
        note:
          "A descriptor with the refresh token follows, then the announced ones.")
    case .clientMetadata:
      return RequestManualEntry(
        "Returns the metadata to publish for a client whose identifier is the URL of that document"
          + " (draft-ietf-oauth-client-id-metadata-document-03): that of the account, or of `client_id` without one. Nothing"
          + " is sent.",
        result: [
          .text("client_id", "The URL."),
          .text("client_name", "The name that the server shows to users."),
          .text("application_type", "`native`."),
          .texts("grant_types", "The grant types in use."),
          .texts("response_types", "`code`."),
          .texts("redirect_uris", "The redirect URI of such a client at all servers."),
          .text("token_endpoint_auth_method", "`none` or `private_key_jwt`."),
          .object(
            "jwks", "The public half of the client's key.",
            members: [.objects("keys", "The key.")]),
          .text("scope", "The scope of the account."),
          .flag("dpop_bound_access_tokens", "Whether tokens are bound to a key."),
          .text("id_token_signed_response_alg", "The algorithm of ID Tokens."),
          .text("userinfo_signed_response_alg", "The algorithm of UserInfo."),
        ])
    }
  }
}
