internal import Vocabulary
internal import Vocabulary
internal import Wire

extension ManualProtocol {
  /// The requests that set accounts up and change them.
  static let accountRequests: [Description] = [
    add, show, set, rename, remove, importToken, clientMetadata,
  ]

  /// The secrets that a request can pass, in the order of the descriptors.
  static let handedOver: [Member] = [
    Member(
      "client_secret_descriptor", "boolean",
      "A descriptor from which the client secret can be read comes with this line, as `SCM_RIGHTS`; so it is with the"
        + " next two, in this order, one descriptor with each message."),
    Member("client_key_descriptor", "boolean", "A private key, in PEM form or as a JSON Web Key."),
    Member("client_certificate_descriptor", "boolean", "Certificates in PEM form, the client's own first."),
  ]

  /// Further members of a sign-in.
  static let newClient: [Member] = [
    Member(
      "initial_access_token_descriptor", "boolean",
      "A token that lets this client be registered; its descriptor comes after those of the client's credentials."),
    Member(
      "assertion_descriptor", "boolean",
      "A JWT that a platform hands out, by which the sign-in needs no person; its descriptor comes last."),
    Member(
      "register", "boolean", "Register a client for the account first (RFC 7591); `client_id` must be absent then."),
    Member("guest", "boolean", "A session without a user, by the client's own credentials (RFC 6749, section 4.4)."),
    Member(
      "offline_access", "boolean",
      "Ask for `offline_access` beside `scope`, where the server says that it knows it; it is then kept with the rest."),
    Member(
      "announced_pkce", "boolean",
      "Refuse an authorization server that does not announce PKCE, for a sign-in to a resource that named it."),
    Member(
      "proof_algorithms", "list of texts",
      "The algorithms of DPoP proofs that the resource takes, of which the key that the tokens are bound to has one."),
  ]

  /// The settings of an account beside its issuer and its client.
  static let settings = AccountSetting.all.dropFirst(2).map { setting in
    // A list has no need of being told that the option may be given several times.
    let meaning = setting.kind == .texts ? "\(setting.summary.split(separator: ";")[0])." : setting.declaration.sentence
    return Member(setting.name, setting.typeName, meaning)
  }

  private static let issuer = Member("issuer", "text", "The authorization server's own name, a URL.")
  private static let clientID = Member("client_id", "text", "The client identifier.")
  private static let named = Member("account", "text", "The account. Must be there.")
  private static let new = Member("account", "text", "The name of the new account. Must be there.")

  private static let add = Description(
    name: "account_add",
    purpose: "Sets an account up without signing in. `issuer` and `client_id` must be there.",
    members: [new, issuer, clientID] + settings,
    result: [
      Member("account", "text", "The account."),
      Member("active", "boolean", "Whether it is the active one."),
    ])

  private static let show = Description(
    name: "account_show",
    purpose: "Tells the settings of an account. None of them is secret.",
    members: [account],
    result: [
      Member("account", "text", "The account."),
      Member("active", "boolean", "Whether it is the active one."),
      Member("protection", "text", "How its record in the vault opens; absent without one."),
      Member("settings", "object", "The settings, as `account_set` takes them."),
    ])

  private static let set = Description(
    name: "account_set",
    purpose: "Changes the settings that are named and takes back those that `unset` lists.",
    members: [named, issuer, clientID] + settings + [
      Member(
        "unset", "list of texts",
        "Members to take back, by their names; not `issuer`, `client_id` and `no_proxy`, which goes with `proxy`.")
    ],
    result: [
      Member("account", "text", "The account."),
      Member("signed_out", "boolean", "Whether it is signed out until the change is undone or somebody signs in."),
      Member("setting", "text", "The setting that signs it out."),
    ],
    note: "`protect` needs a level that is open; `vault_create` makes one that nothing opens yet.")

  private static let rename = Description(
    name: "account_rename",
    purpose: "Gives an account another name; its session goes on. A name that is taken is refused.",
    members: [named, Member("new_name", "text", "The name that it is to have. Must be there.")],
    result: [
      Member("account", "text", "The account, by its new name."),
      Member("renamed_from", "text", "The name that it had."),
      Member("active", "boolean", "Whether it is the active one."),
    ])

  private static let remove = Description(
    name: "account_remove",
    purpose: "Signs out and forgets the settings. When the account was the active one, another becomes active.",
    members: [named, Member("local", "boolean", "Delete the session here without revoking it at the server.")],
    result: [
      Member("account", "text", "The account."),
      Member("revoked", "boolean", "Whether the server confirmed the end of the session."),
      Member("detail", "text", "Where it did not, why."),
      Member(
        "client_deleted", "boolean", "Whether the client that was registered for the account is gone; absent without."),
      Member("client_detail", "text", "What there is to say of that."),
      Member("active_account", "text", "The account that is the active one now, if that changed."),
    ])

  private static let importToken = Description(
    name: "account_import",
    purpose:
      "Sets an account up with a refresh token, which is spent once to prove it. `issuer` and `client_id` must be"
      + " there.",
    members: [new, issuer, clientID] + settings + handedOver,
    result: [
      Member("account", "text", "The account."),
      Member("issuer", "text", "Its authorization server."),
      Member("subject", "text", "Who is signed in, by the ID Token if one came."),
      Member("scope", "text", "What the server granted."),
      Member("expires_at", "number", "When the access token expires."),
    ],
    note: "A descriptor from which the refresh token can be read comes with the line, as `SCM_RIGHTS`;"
      + " those that are announced come after it. Each message carries one descriptor, so the line is then sent in"
      + " several.")

  private static let clientMetadata = Description(
    name: "account_client_metadata",
    purpose:
      "Makes the metadata to publish for a client whose identifier is the URL of that document"
      + " (draft-ietf-oauth-client-id-metadata-document-03): that of the account, or of `client_id` without one. Nothing"
      + " is sent.",
    members: [account, clientID] + settings + handedOver,
    result: [
      Member("client_id", "text", "The URL."),
      Member("client_name", "text", "The name that people see when they are asked to approve."),
      Member("application_type", "text", "`native`."),
      Member("grant_types", "list of texts", "The grants that are used."),
      Member("response_types", "list of texts", "`code`."),
      Member("redirect_uris", "list of texts", "The redirect URI of such a client at all servers."),
      Member("token_endpoint_auth_method", "text", "`none` or `private_key_jwt`."),
      Member("jwks", "object", "The public half of the client's key."),
      Member("scope", "text", "The scope of the account."),
      Member("dpop_bound_access_tokens", "boolean", "Whether tokens are to be bound to a key."),
      Member("id_token_signed_response_alg", "text", "The algorithm of ID Tokens, if the settings name one."),
      Member("userinfo_signed_response_alg", "text", "The algorithm of UserInfo, if the settings name one."),
    ])
}
