internal import OAuth
internal import Sessions
internal import Vocabulary
internal import Wire

extension TokenTarget {
  /// The target that a token request names; nil for the account's own token.
  ///
  /// - Throws: `invalid_request` if the scope, resource, audience or details are not valid.
  static func make(_ target: TokenRequest.Target, account: String?) throws(Failure) -> TokenTarget? {
    do {
      return try make(
        scope: target.scope, resources: target.resources, audience: target.audience,
        authorizationDetails: target.authorizationDetails, isExchanged: target.isExchanged)
    } catch {
      throw Failure(.oauth(error), account: account)
    }
  }

  /// The target of the tokens that go to a place of the settings; nil for the account's own token.
  static func make(_ entry: OriginEntry?, account: String?) throws(Failure) -> TokenTarget? {
    try make(
      TokenRequest.Target(
        scope: entry?.scope ?? [], resources: entry?.resources ?? [], audience: entry?.audience), account: account)
  }
}
