extension ManualProtocol {
  /// How a server is reached that no account names.
  static let way = [
    Member("allow_http_loopback", "boolean", "Allow plain http to `127.0.0.1` and `[::1]`."),
    Member("proxy", "text", "The proxy in the caller's environment."),
    Member("no_proxy", "text", "Hosts that it is not for."),
  ]

  static let discover = Description(
    name: "discover",
    purpose: "Finds out what a URL is that a person wants to sign in to: an authorization server, or a resource that"
      + " names some; see RFC 9728. The resource is asked without a token, and none of the servers that it names is"
      + " contacted: a person must confirm one before a `login` request names it. Where the settings know the URL already,"
      + " nothing is asked.",
    members: [
      Member("url", "text", "The URL. Must be there."),
      Member("account", "text", "The account that is meant to be signed in to, if it was named."),
      Member(
        "only_for_new_account", "boolean", "Answer with `account` alone if that account is there, whatever the URL is."),
      Member("ca_file", "text", "As for `login`; so are the others."),
    ] + way,
    result: [
      Member("account", "text", "An account that was set up for this resource; the other members are absent then."),
      Member(
        "provider", "text", "A provider that has built-in settings is at this host; the other members are absent then."),
      Member(
        "issuer_metadata_found", "boolean", "It is an authorization server; the members below are absent then."),
      Member("resource", "text", "The resource, which is the URL."),
      Member(
        "authorization_servers", "list of texts", "Who issues tokens for it, at most 16, in the resource's order."),
      Member(
        "servers_with_client", "list of texts",
        "Those of `authorization_servers` for which a file of client ids names a client; see agent-config(5)."),
      Member("scopes", "list of texts", "What to ask for: what its challenge names, else all that it knows."),
      Member(
        "dpop_bound_access_tokens_required", "boolean", "It takes only tokens that are bound to a key; see RFC 9449."),
      Member(
        "dpop_signing_alg_values_supported", "list of texts",
        "The algorithms of proofs that it takes, where it says so: what `login` takes as `proof_algorithms`."),
      Member(
        "account_issuer", "text",
        "The authorization server of the account that was named, if it is there: it has a client at that server."),
      Member("name", "text", "A name for an account that none has yet."),
    ])
}
