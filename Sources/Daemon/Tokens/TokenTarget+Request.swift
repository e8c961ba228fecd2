internal import OAuth
internal import Sessions
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
}
