internal import Crypto
internal import Encoding

/// Finds the authorization servers of a protected resource (RFC 9728). Never sends a token.
package struct ResourceDiscovery {
  private let resource: Endpoint
  private let transport: Transport
  private let http: any HTTPClient
  private let cancellation: Cancellation?

  /// The challenges to a request without a token.
  private struct ChallengeSummary {
    /// Whether the resource requires a token, even if it names no scheme.
    var wantsToken = false
    /// Whether a challenge is for Bearer or DPoP.
    var isChallenge = false
    var metadata: Endpoint?
    /// Empty if the challenge names no scopes.
    var scopes: [String] = []
    /// Whether DPoP is the only scheme (RFC 9449 section 7.1).
    var requiresBoundTokens = false
  }

  private static let wellKnown = "/.well-known/oauth-protected-resource"

  package init(
    _ resource: Endpoint, transport: Transport, http: any HTTPClient, cancellation: Cancellation? = nil
  ) {
    self.resource = resource
    self.transport = transport
    self.http = http
    self.cancellation = cancellation
  }

  /// Finds the metadata at the URL in the resource's challenge (section 5.1), else at the well-known URL of the
  /// resource (section 3.1) or its origin. The challenge's scopes override the metadata's. A resource with a challenge
  /// but no metadata may be an MCP server older than 2025-06-18, whose origin is its authorization server. Throws
  /// `metadataMissing` if there is no authorization server.
  package func run() throws(OAuthError) -> ProtectedResource {
    let hint = try requestWithoutToken()
    var found: ProtectedResource
    if let named = hint.metadata {
      found = try read(named, of: [resource.text], mustBeJSON: false)
    } else {
      do throws(OAuthError) { found = try readAtWellKnownURL() } catch {
        guard error.code == .metadataMissing, hint.wantsToken else { throw error }
        guard let own = try serverAtOrigin() else { throw OAuthError(.metadataMissing, .resourceWithoutKnownServer) }
        found = ProtectedResource(resource, acceptingTokensOf: own)
      }
    }
    if !hint.scopes.isEmpty { found.scopes = hint.scopes }
    if hint.requiresBoundTokens { try found.requireBoundTokens() }
    return found
  }

  private func readAtWellKnownURL() throws(OAuthError) -> ProtectedResource {
    let url = try wellKnownURL()
    let root = try Endpoint(resource.uri.origin + Self.wellKnown, allowHTTPLoopback: transport.allowHTTPLoopback)
    do {
      return try read(url, of: [resource.text], mustBeJSON: true)
    } catch {
      guard error.code == .metadataMissing, url != root else { throw error }
    }
    // An origin's metadata may be for the origin itself or for this resource.
    let origin = resource.uri.origin
    return try read(root, of: [resource.text, origin, origin + "/"], mustBeJSON: true)
  }

  /// `identifiers` are the acceptable values of `resource`. If `mustBeJSON`, any other body means missing metadata.
  private func read(
    _ url: Endpoint, of identifiers: [String], mustBeJSON: Bool
  ) throws(OAuthError) -> ProtectedResource {
    let response = try get(url)
    guard response.status == 200 else {
      let error = OAuthError.status(of: response, .endpoint(.metadata))
      guard (400..<500).contains(response.status), error.code.effect != .temporary else { throw error }
      throw OAuthError(.metadataMissing, .resource, httpStatus: response.status)
    }
    // The body is public, so it may leave secret memory.
    let body = response.body.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    // The server returns a page for every URL, but not this document.
    guard !mustBeJSON || (try? JSON(parsing: body))?.object != nil else {
      throw OAuthError(.metadataMissing, .resource, httpStatus: response.status)
    }
    return try ProtectedResource(
      parsing: body, of: resource, identifiers: identifiers, allowHTTPLoopback: transport.allowHTTPLoopback)
  }

  private func serverAtOrigin() throws(OAuthError) -> Issuer? {
    do {
      let issuer = try Issuer(resource.uri.origin, allowHTTPLoopback: transport.allowHTTPLoopback)
      _ = try Discovery.fetchMetadata(issuer, transport: transport, http: http, cancellation: cancellation)
      return issuer
    } catch {
      guard error.code == .metadataMissing else { throw error }
      return nil
    }
  }

  /// Requests the resource and reads its challenges. If a GET is refused without a challenge, sends ``mcpMessages``,
  /// since an MCP server may challenge only those.
  private func requestWithoutToken() throws(OAuthError) -> ChallengeSummary {
    let get = HTTPRequest(.get, resource, .resource, transport: transport, cancellation: cancellation)
    guard let response = try send(get) else { return ChallengeSummary() }
    var hint = try challengeSummary(of: response)
    guard !hint.isChallenge, (400..<500).contains(response.status), response.status != 401 else { return hint }
    for message in Self.mcpMessages {
      let content: SecretBytes
      do { content = try SecretBytes(copying: Array(message.utf8).span) } catch { return hint }
      var post = HTTPRequest(
        post: resource, .resource, form: content, isJSON: true, transport: transport, cancellation: cancellation)
      post.accept = "application/json, text/event-stream"
      // Even if the server rejects these requests, it may publish metadata.
      guard let response = try? send(post) else { continue }
      let next = try challengeSummary(of: response)
      if next.isChallenge { return next }
      hint.wantsToken = hint.wantsToken || next.wantsToken
    }
    return hint
  }

  /// Nil if the response is too large, hence probably not a refusal.
  private func send(_ request: borrowing HTTPRequest) throws(OAuthError) -> HTTPResponse? {
    do { return try http.send(request) } catch {
      if error.code == .tooLarge { return nil }
      throw OAuthError(error, request)
    }
  }

  /// The first messages of an MCP client.
  private static let mcpMessages = [
    """
    {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},\
    "clientInfo":{"name":"agent","version":"1"}}}
    """,
    #"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
  ]

  private func challengeSummary(of response: borrowing HTTPResponse) throws(OAuthError) -> ChallengeSummary {
    guard response.status == 401 else { return ChallengeSummary() }
    let all = Challenge.all(in: response.headers)
    let challenges = all.filter { ["bearer", "dpop"].contains($0.scheme) }
    var hint = ChallengeSummary(wantsToken: all.isEmpty || !challenges.isEmpty, isChallenge: !challenges.isEmpty)
    hint.requiresBoundTokens = !challenges.isEmpty && challenges.allSatisfy { $0.scheme == "dpop" }
    for challenge in challenges {
      let scopes = challenge["scope"].flatMap { try? Scope($0) }?.values ?? []
      if let text = challenge["resource_metadata"] {
        (hint.metadata, hint.scopes) = (try metadataURL(text), scopes)
        break
      }
      if hint.scopes.isEmpty { hint.scopes = scopes }
    }
    return hint
  }

  /// Parses the metadata URL in a challenge. Throws unless it has the resource's origin, whose certificate proves that
  /// the metadata is the resource's (sections 3.1, 7.3 and 7.7).
  private func metadataURL(_ text: String) throws(OAuthError) -> Endpoint {
    guard let url = try? Endpoint(text, allowHTTPLoopback: transport.allowHTTPLoopback) else {
      throw OAuthError(.metadataInvalid, .name("resource_metadata"))
    }
    guard url.uri.origin.hasSameBytes(as: resource.uri.origin) else {
      throw OAuthError(.metadataInvalid, .reason("resource_metadata is at another origin than the resource"))
    }
    return url
  }

  /// The metadata URL, whose well-known path precedes the resource's path (section 3.1).
  private func wellKnownURL() throws(OAuthError) -> Endpoint {
    let uri = resource.uri
    let rest = uri.path + (uri.query.map { "?" + $0 } ?? "")
    let base = String(decoding: uri.text.utf8.dropLast(rest.utf8.count), as: UTF8.self)
    let path = uri.path == "/" ? String(rest.dropFirst()) : rest
    return try Endpoint(base + Self.wellKnown + path, allowHTTPLoopback: transport.allowHTTPLoopback)
  }

  private func get(_ url: Endpoint) throws(OAuthError) -> HTTPResponse {
    var request = HTTPRequest(.get, url, .metadata, transport: transport, cancellation: cancellation)
    request.followsRedirects = true
    return try http.ask(request)
  }
}
