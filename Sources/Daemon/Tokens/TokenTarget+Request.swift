internal import OAuth
internal import Sessions
internal import Wire

extension TokenTarget {
  /// Nil for the account's own token. Throws `invalid_request` if `target` is invalid.
  static func make(_ target: TokenRequest.Target, account: String?) throws(Failure) -> TokenTarget? {
    do {
      return try TokenTarget(
        scope: target.scope, resources: target.resources, audience: target.audience,
        authorizationDetails: target.authorizationDetails, usesTokenExchange: target.usesTokenExchange)
    } catch {
      throw Failure(.oauth(error), account: account)
    }
  }

  /// For an origin in the settings. Nil for the account's own token.
  static func make(_ entry: OriginEntry?, account: String?) throws(Failure) -> TokenTarget? {
    try make(
      TokenRequest.Target(
        scope: entry?.scope ?? [], resources: entry?.resources ?? [], audience: entry?.audience), account: account)
  }
}
