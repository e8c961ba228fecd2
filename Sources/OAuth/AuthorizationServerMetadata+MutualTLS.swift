extension AuthorizationServerMetadata {
  /// This metadata as a client with a certificate uses it: an endpoint without an alias is the one for all.
  package var forMutualTLS: AuthorizationServerMetadata {
    guard let aliases = mtlsEndpointAliases else { return self }
    var copy = self
    copy.tokenEndpoint = aliases.token ?? tokenEndpoint
    copy.deviceAuthorizationEndpoint = aliases.deviceAuthorization ?? deviceAuthorizationEndpoint
    copy.userinfoEndpoint = aliases.userinfo ?? userinfoEndpoint
    copy.revocationEndpoint = aliases.revocation ?? revocationEndpoint
    copy.introspectionEndpoint = aliases.introspection ?? introspectionEndpoint
    copy.pushedAuthorizationRequestEndpoint =
      aliases.pushedAuthorizationRequest ?? pushedAuthorizationRequestEndpoint
    copy.registrationEndpoint = aliases.registration ?? registrationEndpoint
    return copy
  }
}
