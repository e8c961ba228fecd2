internal import Crypto
internal import Encoding
package import JOSE
internal import Vocabulary

/// Fetches the public documents of an issuer.
package enum Discovery {
  /// Finds and reads the metadata of `issuer`.
  ///
  /// The candidates of ``Issuer/metadataLocations`` are tried in order. The next one is tried only when a
  /// place has no such document: a 4xx status, a 500 or 501, a redirect that is not followed, or a body that is no JSON
  /// object with an issuer. A document for another issuer, a failed connection or a server that is away ends the search
  /// (RFC 8414 section 3.3).
  ///
  /// - Throws: `metadataMissing` when no candidate has a document; `malformedResponse` when one has something that only
  ///   calls itself JSON; what the first redirect or error of a server stands for, when there was one.
  package static func fetch(
    _ issuer: Issuer, transport: Transport, http: any HTTPClient, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> FetchedDocument<AuthorizationServerMetadata> {
    var lastStatus: Int?
    // A JSON answer was meant to be the document, unlike the HTML page that many servers return for any address.
    var isBroken = false
    // Other places of a server that redirects what it does not know, or fails over it, may have the document.
    var refusal: OAuthError?
    for location in issuer.metadataLocations {
      let response = try get(location, .metadata, transport, http, cancellation)
      lastStatus = response.status
      if response.status != 200 {
        let error = Self.problem(response, .endpoint(.metadata))
        switch response.status {
        case 300...399, 500, 501: refusal = refusal ?? error
        case 400...499 where error.code.meaning != .passing: break
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

  /// Fetches a JWK Set (RFC 7517 section 5). Its media type is not looked at, since servers name many.
  package static func keys(
    at endpoint: Endpoint, transport: Transport, http: any HTTPClient, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> FetchedDocument<JWKSet> {
    let subject = OAuthError.Subject.endpoint(.keys)
    guard
      case .changed(let document) = try keys(
        at: endpoint, knownAs: nil, transport: transport, http: http, cancellation: cancellation)
    else { throw OAuthError(.malformedResponse, subject, httpStatus: 304) }
    return document
  }

  /// The same with a cached version, which the server may confirm as current.
  ///
  /// - Parameter entityTag: The entity tag of the cached version; nil fetches in any case.
  package static func keys(
    at endpoint: Endpoint, knownAs entityTag: String?, transport: Transport, http: any HTTPClient,
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

  /// The error for a public document with a status other than success. Such a request carries no client authentication,
  /// so no error is about the client.
  private static func problem(_ response: HTTPResponse, _ subject: OAuthError.Subject) -> OAuthError {
    let error = OAuthError.status(of: response, subject)
    return error.code == .invalidClient
      ? OAuthError(.otherServerError, subject, httpStatus: response.status) : error
  }

  private static func get(
    _ endpoint: Endpoint, _ role: EndpointRole, _ transport: Transport, _ http: any HTTPClient,
    _ cancellation: Cancellation?, ifNoneMatch entityTag: String? = nil
  ) throws(OAuthError) -> HTTPResponse {
    var request = HTTPRequest(get: endpoint, role, transport: transport, cancellation: cancellation)
    request.followsRedirects = true
    request.ifNoneMatch = entityTag
    if role == .keys { request.responseLimit = JWKSet.maximumByteCount }
    do { return try http.send(request) } catch { throw OAuthError(error, request) }
  }

  /// These documents are public, so their bytes may leave the secure heap.
  private static func publicBytes(of response: HTTPResponse) -> [UInt8] {
    response.body.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  private static func namesIssuer(_ body: [UInt8]) -> Bool {
    (try? JSON(parsing: body))?.object?["issuer"] != nil
  }
}

/// A public document as it came, and what it says.
package struct FetchedDocument<Value: Sendable>: Sendable {
  package let value: Value
  /// The bytes received, for a cache.
  package let body: [UInt8]
  /// How long the server lets it be kept, in seconds; nil when it does not say.
  package let maxAgeSeconds: Int?
  /// By what the server knows this version (RFC 9110 section 8.8.3); nil when it does not say.
  package var entityTag: String?
}

/// The result of asking whether a cached document is current.
package enum Revalidation<Value: Sendable>: Sendable {
  /// It does (RFC 9110 section 15.4.5).
  case unchanged(maxAgeSeconds: Int?)
  case changed(FetchedDocument<Value>)
}
