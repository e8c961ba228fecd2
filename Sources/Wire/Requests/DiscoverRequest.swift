/// Determines whether a URL is an authorization server or a resource (RFC 9728).
package struct DiscoverRequest: RequestBody {
  package var url: String
  /// The account to sign in, if named.
  package var account: String?
  /// Whether to fetch nothing if ``account`` already exists.
  package var onlyForNewAccount = false
  /// Only ``AccountSetting/connection`` settings are sent.
  package var settings = AccountSettings()

  package init(url: String) { self.url = url }

  package var properties: RequestProperties { RequestProperties("discover", .repeatable, from: .resource, about: .any) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("url", &url, "The URL.")
    try members.visitText("account", &account, "The account to sign in, if the user named one.")
    try members.visitFlag(
      "only_for_new_account", &onlyForNewAccount,
      "Answer with `account` only, whatever the URL is, if that account exists.")
    try members.visitSettings(&settings, among: AccountSetting.connection)
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Finds out whether the URL of a sign-in is an authorization server or a resource (RFC 9728). The resource is asked"
        + " without a token. The servers that it names are not contacted: the user must confirm one before a `login` request"
        + " names it. If the URL is the issuer of an account, nothing is fetched.",
      result: [
        .text("account", "Its account, if the server is unchanged; the only member."),
        .text("provider", "The built-in provider at this host; the only member."),
        .flag("issuer_metadata_found", "It is an authorization server."),
        .text("resource", "The resource, which is the URL."),
        .texts("authorization_servers", "Its servers, at most 16."),
        .texts("servers_with_client", "Those in a file of client IDs."),
        .texts("scopes", "The scopes in its challenge, or else all that it knows."),
        .flag("dpop_bound_access_tokens_required", "Only DPoP is accepted."),
        .texts("dpop_signing_alg_values_supported", "Its proof algorithms."),
        .text("account_issuer", "The authorization server of the requested account."),
        .text("name", "The account for this resource, or a free name for a new one."),
      ])
  }
}
