internal import OAuth
internal import Sessions
internal import Wire

extension TokenTarget {
  /// What a request asks of its token; nil when that is the account's own.
  ///
  /// - Throws: `invalid_request` for what is no scope, resource or audience.
  static func make(_ target: TokenRequest.Target, account: String?) throws(Failure) -> TokenTarget? {
    do {
      return try make(
        scope: target.scope, resources: target.resources, audience: target.audience, isExchanged: target.isExchanged)
    } catch {
      throw Failure(.oauth(error), account: account)
    }
  }
}
