internal import Encoding
package import OAuth
internal import Vault

/// A request to a resource with an account's token.
package enum ResourceCall {
  /// A request without token and content.
  package struct Target: Sendable {
    package let method: ResourceMethod
    package let endpoint: Endpoint
    package let fields: [ResourceField]
    /// Whether to return redirects instead of following them.
    package var refusesRedirects = false
    /// As in ``ResourceRequest/idleSeconds``.
    package var idleSeconds: Int?
    package var lease: RequestLease?

    package init(method: ResourceMethod, endpoint: Endpoint, fields: [ResourceField]) {
      (self.method, self.endpoint, self.fields) = (method, endpoint, fields)
    }

    package var origin: ResourceOrigin { ResourceOrigin(of: endpoint) }
  }

  package enum Outcome: Sendable {
    /// The receiver got the response. The verdict states whether the server accepted the token.
    case answered(ResourceResponse, ResourceVerdict)
    /// The server rejected the token, but may accept a new one, with these claims if any. The receiver got nothing, and
    /// the content was rewound.
    case refused(RequestedClaims?)
    /// The response has begun, but the rest is slow.
    case begun(Rest)
  }

  package struct Rest: Sendable {
    fileprivate let content: any PendingContent
    fileprivate let head: ResourceHead
    fileprivate let verdict: ResourceVerdict
    fileprivate let request: ResourceRequest

    /// Passes the rest to the receiver on another thread, then calls `finish` with the outcome. Call it at most once.
    /// Without a call, the response is abandoned.
    package func receive(_ finish: @escaping @Sendable (Result<Outcome, SessionError>) -> Void) {
      content.receive { result in
        finish(
          result.map { .answered(ResourceResponse(head: head, contentBytes: $0), verdict) }
            .mapError { SessionError($0, of: request) })
      }
    }
  }

  /// Redirects must stay at the same origin.
  package static let maximumRedirects = 3
}

extension SessionRequests {
  /// Sends the request. Throws if the token may not be sent to the target, or there is no response.
  ///
  /// - Parameters:
  ///   - mayRefresh: Whether the caller can refresh a rejected token and retry, once (RFC 6750, section 3.1).
  ///   - stallSeconds: As in ``ResourceRequest/stallSeconds``.
  package func call(
    _ target: ResourceCall.Target, content: (any ResourceContent)?, receiver: any ResourceReceiver, mayRefresh: Bool,
    stallSeconds: Int
  ) throws(SessionError) -> ResourceCall.Outcome {
    let transport = try services.transport(to: target.origin, of: account, configuration, lease: target.lease)
    let token = try grant.openAccessToken()
    let authorization = ResourceAuthorization(accessToken: token, prover: grant.dpopKey.map(services.prover))
    var settled: Set<DPoPProver.ProofProblem> = []
    var endpoint = target.endpoint
    var redirectsLeft =
      target.method.isSafe && content == nil && !target.refusesRedirects ? ResourceCall.maximumRedirects : 0
    while true {
      let request = ResourceRequest(
        method: target.method, endpoint: endpoint, fields: target.fields, transport: transport,
        stallSeconds: stallSeconds, idleSeconds: target.idleSeconds, tokenToWithhold: target.lease.map { _ in token },
        cancellation: cancellation)
      let attempt = try mapOAuthError(authorization.attempt(method: request.method, uri: endpoint.uri))
      let retryingReceiver = RetryingReceiver(
        receiver, at: endpoint, content: content, mayRefresh: mayRefresh, mayFollow: redirectsLeft > 0,
        sent: [token]
      ) { [settled] head in
        authorization.learn(from: head, after: attempt).flatMap { settled.contains($0) ? nil : $0 }
      }
      let response = try exchange(request, attempt, content, retryingReceiver)
      switch retryingReceiver.decision {
      case .pass:
        let verdict = ResourceVerdict(response.head, sent: [token])
        guard let content = response.pending else { return .answered(response, verdict) }
        return .begun(ResourceCall.Rest(content: content, head: response.head, verdict: verdict, request: request))
      case .renew(let claims):
        content?.rewind()
        return .refused(claims)
      case .prove(let proofProblem):
        content?.rewind()
        settled.insert(proofProblem)
      case .follow(let next):
        redirectsLeft -= 1
        endpoint = next
      }
    }
  }

  private func exchange(
    _ request: ResourceRequest, _ attempt: ResourceAuthorization.Attempt, _ content: (any ResourceContent)?,
    _ retryingReceiver: RetryingReceiver
  ) throws(SessionError) -> ResourceResponse {
    do {
      return try services.http.exchange(
        request, authorization: attempt.fields, content: content, receiver: retryingReceiver)
    } catch {
      throw SessionError(error, of: request)
    }
  }
}

extension SessionError {
  fileprivate init(_ failure: HTTPFailure, of request: ResourceRequest) {
    self =
      switch failure.code {
      case .content: .content
      case .cancelled: .cancelled
      case .tokenReturned: .tokenReturned(origin: request.endpoint.uri.origin)
      default: .oauth(OAuthError(failure, .resource, at: request.endpoint, proxy: request.transport.proxy?.url))
      }
  }
}

extension SessionServices {
  /// The transport, if the account's tokens may be sent to the resource. Each lease has its own connections.
  func transport(
    to origin: ResourceOrigin, of account: AccountName, _ configuration: AccountConfiguration,
    lease: RequestLease? = nil
  ) throws(SessionError) -> Transport {
    let record = try sessionRecord(of: account).record
    var transport = try record.parse(configuration, account).transport
    try record.authority.check(origin, configuration, account)
    // A certificate-bound token requires the certificate (RFC 8705 section 3).
    transport.clientCertificate = try record.credentials.clientCertificate(configuration, in: vault.keyDevice)
    transport.connectionGroup = ConnectionGroup(account: account.text, lease: lease)
    return transport
  }
}
