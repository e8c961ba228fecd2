package import Crypto
internal import Encoding

/// Fetches an issuer's public documents.
package enum Discovery {
  /// Fetches metadata from ``Issuer/metadataLocations``, in order. Tries the next only after a permanent 4xx, 500, 501,
  /// a redirect, or a body without an issuer (RFC 8414 section 3.3).
  ///
  /// - Throws: the first redirect or server error; else `malformedResponse` if a response wrongly claims to be JSON, or
  ///   `metadataMissing`.
  package static func fetchMetadata(
    _ issuer: Issuer, transport: Transport, http: any HTTPClient, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> FetchedDocument<AuthorizationServerMetadata> {
    var lastStatus: Int?
    var isBroken = false
    var refusal: OAuthError?
    for location in issuer.metadataLocations {
      let response = try get(location, .metadata, transport, http, cancellation)
      lastStatus = response.status
      if response.status != 200 {
        let error = Self.problem(response, .endpoint(.metadata))
        switch response.status {
        case 300...399, 500, 501: refusal = refusal ?? error
        case 400...499 where error.code.effect != .temporary: break
        default: throw error
        }
        continue
      }
      let body = publicBytes(of: response)
      guard namesIssuer(body) else {
        isBroken = isBroken || response.headers.isJSON
        continue
      }
      let metadata = try AuthorizationServerMetadata(
        parsing: body, issuer: issuer, allowHTTPLoopback: transport.allowHTTPLoopback)
      return FetchedDocument(value: metadata, body: body, maxAgeSeconds: response.headers.maxAgeSeconds)
    }
    if let refusal { throw refusal }
    if isBroken { throw OAuthError(.malformedResponse, .endpoint(.metadata)) }
    throw OAuthError(
      .metadataMissing, issuer.metadataLocations.first.map { .name($0.text) } ?? .issuer, httpStatus: lastStatus)
  }

  /// Fetches a JWK Set (RFC 7517 section 5) of any media type.
  package static func fetchKeys(
    at endpoint: Endpoint, transport: Transport, http: any HTTPClient, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> FetchedDocument<JWKSet> {
    let subject = OAuthError.Subject.endpoint(.keys)
    guard
      case .changed(let document) = try fetchKeys(
        at: endpoint, ifNoneMatch: nil, transport: transport, http: http, cancellation: cancellation)
    else { throw OAuthError(.malformedResponse, subject, httpStatus: 304) }
    return document
  }

  /// Fetches a JWK Set, unless the version with this entity tag is current.
  package static func fetchKeys(
    at endpoint: Endpoint, ifNoneMatch entityTag: String?, transport: Transport, http: any HTTPClient,
    cancellation: Cancellation? = nil
  ) throws(OAuthError) -> Revalidation<JWKSet> {
    let subject = OAuthError.Subject.endpoint(.keys)
    let response = try get(endpoint, .keys, transport, http, cancellation, ifNoneMatch: entityTag)
    if response.status == 304, entityTag != nil { return .unchanged(maxAgeSeconds: response.headers.maxAgeSeconds) }
    guard response.status == 200 else { throw problem(response, subject) }
    let body = publicBytes(of: response)
    let keys: JWKSet
    do { keys = try JWKSet(parsing: body) } catch {
      var malformed = OAuthError(.malformedResponse, subject, httpStatus: response.status)
      if error.code == .mixedKeySet { malformed.serverDescription = "symmetric keys beside public ones" }
      throw malformed
    }
    return .changed(
      FetchedDocument(
        value: keys, body: body, maxAgeSeconds: response.headers.maxAgeSeconds, entityTag: response.headers.entityTag))
  }

  /// Never `invalidClient`, since these requests contain no client authentication.
  private static func problem(_ response: HTTPResponse, _ subject: OAuthError.Subject) -> OAuthError {
    let error = OAuthError.status(of: response, subject)
    return error.code == .invalidClient
      ? OAuthError(.otherServerError, subject, httpStatus: response.status) : error
  }

  private static func get(
    _ endpoint: Endpoint, _ role: EndpointRole, _ transport: Transport, _ http: any HTTPClient,
    _ cancellation: Cancellation?, ifNoneMatch entityTag: String? = nil
  ) throws(OAuthError) -> HTTPResponse {
    var request = HTTPRequest(.get, endpoint, role, transport: transport, cancellation: cancellation)
    request.followsRedirects = true
    request.ifNoneMatch = entityTag
    if role == .keys { request.responseLimit = JWKSet.maximumByteCount }
    return try http.ask(request)
  }

  /// Copies the body from secret memory.
  private static func publicBytes(of response: HTTPResponse) -> [UInt8] {
    response.body.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  private static func namesIssuer(_ body: [UInt8]) -> Bool {
    (try? JSON(parsing: body))?.object?["issuer"] != nil
  }
}

package struct FetchedDocument<Value: Sendable>: Sendable {
  package let value: Value
  /// As received, for a cache.
  package let body: [UInt8]
  /// Nil if not specified.
  package let maxAgeSeconds: Int?
  /// See RFC 9110 section 8.8.3.
  package var entityTag: String?
}

/// The result of revalidating a cached document.
package enum Revalidation<Value: Sendable>: Sendable {
  /// The document is current (RFC 9110 section 15.4.5), for this long if specified.
  case unchanged(maxAgeSeconds: Int?)
  case changed(FetchedDocument<Value>)
}
