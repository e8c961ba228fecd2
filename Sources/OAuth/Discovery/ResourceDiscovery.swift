internal import Crypto
internal import Encoding

/// Finds the authorization servers of a protected resource (RFC 9728). Never sends a token.
package struct ResourceDiscovery {
  private let resource: Endpoint
  private let transport: Transport
  private let http: any HTTPClient
  private let cancellation: Cancellation?

  private struct ChallengeSummary {
    /// Whether a token is required, even if no scheme is named.
    var wantsToken = false
    /// Whether any challenge is for Bearer or DPoP.
    var isChallenge = false
    var metadata: Endpoint?
    /// Empty if not named.
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

  /// Finds the metadata at the URL in the challenge (section 5.1), else at the well-known URL of the resource (section
  /// 3.1) or its origin. The challenge's scopes override the metadata's. Without metadata, a challenging resource's
  /// origin may be its authorization server (MCP before 2025-06-18). Throws `metadataMissing` if nothing is found.
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
    let body = response.body.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    // Some servers return a page for every URL.
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

  /// Requests the resource and reads its challenges. If a refusal other than 401 has none, sends ``mcpMessages``, which
  /// MCP servers may challenge instead.
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
      guard let response = try? send(post) else { continue }
      let next = try challengeSummary(of: response)
      if next.isChallenge { return next }
      hint.wantsToken = hint.wantsToken || next.wantsToken
    }
    return hint
  }

  /// Nil if the response is too large, hence probably no refusal.
  private func send(_ request: borrowing HTTPRequest) throws(OAuthError) -> HTTPResponse? {
    do { return try http.send(request) } catch {
      if error.code == .tooLarge { return nil }
      throw OAuthError(error, request)
    }
  }

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

  /// Throws unless the URL has the resource's origin, which proves that the metadata is genuine (sections 3.1, 7.3 and
  /// 7.7).
  private func metadataURL(_ text: String) throws(OAuthError) -> Endpoint {
    guard let url = try? Endpoint(text, allowHTTPLoopback: transport.allowHTTPLoopback) else {
      throw OAuthError(.metadataInvalid, .name("resource_metadata"))
    }
    guard url.uri.origin.hasSameBytes(as: resource.uri.origin) else {
      throw OAuthError(.metadataInvalid, .reason("resource_metadata is at another origin than the resource"))
    }
    return url
  }

  /// The URL with the well-known path before the resource's path (section 3.1).
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
