import Encoding
import Platform

/// What access tokens are for: `resource` (RFC 8707) and `audience` (RFC 8693 section 2.1).
extension AuthorizationServer {
  /// More than this are refused.
  private static let targetLimit = 16

  /// - Throws: `invalid_target` for a resource that is no absolute URI or has a fragment, and for all
  ///   that an option does not name when there is one that names some.
  func targets(of parameters: Parameters) throws(OAuthFailure) -> [String] {
    let resources = parameters.all("resource")
    guard resources.allSatisfy({ (try? URI($0))?.fragment == nil && (try? URI($0)) != nil }) else {
      throw OAuthFailure(.invalidTarget, "a resource is an absolute URI without a fragment")
    }
    var found: [String] = []
    for target in resources + parameters.all("audience") where !found.contains(target) { found.append(target) }
    guard found.count <= Self.targetLimit, knownTargets.isEmpty || found.allSatisfy(knownTargets.contains) else {
      throw OAuthFailure(.invalidTarget, "too many targets, or one that is unknown")
    }
    return found
  }

  func order(
    _ parameters: Parameters, _ client: RegisteredClient, _ proof: DPoPProof?, scope: ScopeSet? = nil
  ) throws(OAuthFailure) -> TokenOrder {
    TokenOrder(
      clientID: client.id, scope: scope, targets: try targets(of: parameters),
      thumbprint: proof?.thumbprint, isConfidential: client.isConfidential,
      accessKey: try checked(OpaqueKey.random), now: clock.now(), wall: wallSeconds())
  }
}
