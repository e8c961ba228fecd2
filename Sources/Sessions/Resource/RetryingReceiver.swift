internal import Crypto
internal import Encoding
internal import OAuth

/// Passes a response to its receiver, unless the head requires another request.
final class RetryingReceiver: ResourceReceiver, @unchecked Sendable {
  // Used by one thread at a time, like every receiver.
  enum Decision {
    case pass
    /// Renew the token, with these claims if any, and repeat the request.
    case renew(RequestedClaims?)
    /// Repeat the request with a new DPoP proof, for this reason.
    case prove(DPoPProver.ProofProblem)
    case follow(Endpoint)
  }

  private let receiver: any ResourceReceiver
  private let endpoint: Endpoint
  private let content: (any ResourceContent)?
  private let learn: (ResourceHead) -> DPoPProver.ProofProblem?
  private let mayRefresh: Bool
  /// The secrets in the request.
  private let sent: [SharedSecret]
  private let mayFollow: Bool
  private(set) var decision = Decision.pass

  /// `learn` stores the server's nonce and clock offset, and returns the reason for another DPoP proof, if needed.
  init(
    _ receiver: any ResourceReceiver, at endpoint: Endpoint, content: (any ResourceContent)?, mayRefresh: Bool,
    mayFollow: Bool, sent: [SharedSecret] = [], learn: @escaping (ResourceHead) -> DPoPProver.ProofProblem?
  ) {
    self.receiver = receiver
    self.endpoint = endpoint
    self.content = content
    self.mayRefresh = mayRefresh
    self.sent = sent
    self.mayFollow = mayFollow
    self.learn = learn
  }

  var descriptor: Int32 { receiver.descriptor }

  /// Returns false if another request is needed instead.
  func begin(_ head: ResourceHead) -> Bool {
    decision = decide(head)
    guard case .pass = decision else { return false }
    return receiver.begin(head)
  }

  func take(_ bytes: Span<UInt8>) -> Int? { receiver.take(bytes) }

  private func decide(_ head: ResourceHead) -> Decision {
    let proofProblem = learn(head)
    let isRepeatable = content?.canRewind ?? true
    if let proofProblem, isRepeatable { return .prove(proofProblem) }
    if mayRefresh, isRepeatable {
      switch ResourceVerdict(head, sent: sent) {
      case .refused: return .renew(nil)
      case .insufficientClaims(let claims?): return .renew(claims)
      default: break
      }
    }
    if mayFollow, let next = Self.redirect(head, from: endpoint) { return .follow(next) }
    return .pass
  }

  /// Nil if the target has another origin, which must not get the token.
  private static func redirect(_ head: ResourceHead, from endpoint: Endpoint) -> Endpoint? {
    guard [301, 302, 303, 307, 308].contains(head.status), let location = head.headers.location,
      let target = endpoint.uri.resolving(location), target.origin.hasSameBytes(as: endpoint.uri.origin)
    else { return nil }
    return try? Endpoint(target.text, allowHTTPLoopback: endpoint.uri.isHTTPLoopback)
  }
}
