extension ManualProtocol {
  /// The requests that set accounts up and change them.
  static let accountRequests: [Description] = [add, show, set, rename, remove, importToken]

  /// What a request can hand over, in the order in which the descriptors come.
  static let handedOver: [Member] = [
    Member(
      "client_secret_descriptor", "boolean",
      "A descriptor from which the client secret can be read comes with this line, as `SCM_RIGHTS`; so it is with the"
        + " next two, in this order, one descriptor with each message."),
    Member("client_key_descriptor", "boolean", "A private key, in PEM form or as a JSON Web Key."),
    Member("client_certificate_descriptor", "boolean", "Certificates in PEM form, the client's own first."),
  ]

  /// What only a sign-in can have beside it.
  static let newClient: [Member] = [
    Member(
      "initial_access_token_descriptor", "boolean",
      "A token that lets this client be registered; its descriptor comes last."),
    Member(
      "register", "boolean", "Register a client for the account first (RFC 7591); `client_id` must be absent then."),
    Member("guest", "boolean", "A session without a user, by the client's own credentials (RFC 6749, section 4.4)."),
    Member(
      "offline_access", "boolean",
      "Ask for `offline_access` beside `scope`, where the server says that it knows it; it is then kept with the rest."),
  ]

  /// What an account may be told beside its issuer and its client.
  static let settings: [Member] = [
    Member("provider", "text", "The service that the issuer is, by its name in agent-config(5)."),
    Member("scope", "list of texts", "What to ask for."),
    Member("resource", "list of texts", "Where the tokens are to be good; see RFC 8707."),
    Member("audience", "text", "The audience that they are to have."),
    Member(
      "token_endpoint_auth_method", "text",
      "One of `none`, `client_secret_basic`, `client_secret_post`, `private_key_jwt`, `tls_client_auth` and"
        + " `self_signed_tls_client_auth`."),
    Member(
      "basic_unencoded", "boolean", "Leave the encoding of RFC 6749, section 2.3.1, out of `client_secret_basic`."),
    Member("client_certificate", "boolean", "Show the account's certificate; handing one over sets it by itself."),
    Member("client_key_algorithm", "text", "What `private_key_jwt` signs with, such as `ES256`."),
    Member("client_key_id", "text", "The `kid` of its tokens."),
    Member("assertion_audience", "text", "Their `aud`: `issuer`, `token_endpoint` or `endpoint`."),
    Member(
      "id_token_algorithm", "text",
      "The only algorithm of ID Tokens that is accepted, such as `ES256`; `HS256`, `HS384` and `HS512` mean the client"
        + " secret."),
    Member("userinfo_algorithm", "text", "The algorithm that UserInfo must be signed with."),
    Member("ca_file", "text", "The absolute path of certificate authorities in PEM form."),
    Member("pins", "list of texts", "Public keys, as `sha256//BASE64`."),
    Member("allow_http_loopback", "boolean", "Allow plain http to a literal address of this machine."),
    Member("token_endpoint", "text", "A URL to use in place of the announced one; so are the next five."),
    Member("device_authorization_endpoint", "text", "See RFC 8628."),
    Member("userinfo_endpoint", "text", "See OpenID Connect Core, section 5.3."),
    Member("revocation_endpoint", "text", "See RFC 7009."),
    Member("registration_endpoint", "text", "See RFC 7591."),
    Member("jwks_uri", "text", "Where the issuer's keys are."),
    Member(
      "redirect_uri", "text",
      "Where the browser brings the answer of a sign-in, as it is registered; without a port any port is used."),
    Member("proxy", "text", "The URL of the proxy that the account uses from now on; without it none."),
    Member("no_proxy", "text", "The hosts that the proxy is not for, as curl(1) reads them."),
    Member("keep", "boolean", "Keep the access token in the vault when there is no refresh token."),
    Member("dpop", "boolean", "Bind the tokens of the next sign-in to a key (RFC 9449)."),
    Member(
      "origins", "list of texts",
      "Places that may get the access token, added to those that there are: `HOST`, `HOST:PORT` or an origin."),
    Member(
      "refresh", "text", "When tokens are renewed: `on-demand`, `proactive`, `background`, `offline` or `strict`."),
    Member(
      "protect", "text",
      "How the record in the vault opens: `device`, `passphrase` or `tpm2`. The level must be open; `vault_create` makes"
        + " one that nothing opens yet."),
  ]

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
    ])

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
    members: [named, Member("local", "boolean", "Forget the session here without telling the server.")],
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
}
