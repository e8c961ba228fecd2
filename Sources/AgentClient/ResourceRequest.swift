internal import Encoding
internal import Wire

/// An HTTP header field (RFC 9110, section 5).
public struct HTTPField: Sendable, Hashable {
  /// The name, case-insensitive.
  public var name: String
  /// The value.
  public var value: String

  /// Creates a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// An HTTP request that the agent sends with an account's token.
public struct ResourceRequest: Sendable, Hashable {
  /// The URL: https, at most 2,048 bytes.
  public var url: String

  /// The method, case-sensitive.
  public var method: String

  /// The header fields, without those for the token.
  public var headers: [HTTPField] = []

  /// The body; nil for none.
  public var body: [UInt8]?

  /// The default is the account that lists the origin of ``url``, not the active one.
  public var account: String?

  /// Whether to return redirects instead of following those within the origin.
  public var refusesRedirects = false

  /// The timeout for the token, and for a stalled transfer: 1 second to an hour.
  public var timeout: Duration = .seconds(120)

  /// Creates a request. The default method is `GET`, or `POST` with a body.
  public init(_ url: String, method: String? = nil, body: [UInt8]? = nil, account: String? = nil) {
    self.url = url
    self.method = method ?? (body == nil ? "GET" : "POST")
    self.body = body
    self.account = account
  }

  /// The maximum bytes of a body in the request's line, and of each part of a longer one.
  private static let partBytes = 48 << 10

  /// The request for the agent. Its body is sent in lines, since forwarded sockets pass no descriptors.
  var callRequest: CallRequest {
    var call = CallRequest(
      account: account, url: url, method: method, headers: headers.map { "\($0.name): \($0.value)" },
      sendsBody: body != nil)
    call.isInline = true
    call.refusesRedirects = refusesRedirects
    if let body {
      if body.count <= Self.partBytes { call.inlineBody = Base64.encode(body) } else { call.sendsBodyInLines = true }
    }
    return call
  }

  /// The parts of a body too long for the request's line; otherwise empty.
  var partsOfBody: [ResourceBodyRequest] {
    guard let body, body.count > Self.partBytes else { return [] }
    return stride(from: 0, to: body.count, by: Self.partBytes).map { start in
      let end = min(start + Self.partBytes, body.count)
      return ResourceBodyRequest(bytes: Array(body[start..<end]), isLast: end == body.count)
    }
  }

  var timeoutSeconds: Int { min(max(timeout.wholeSeconds, 1), WireProtocol.maximumTimeoutSeconds) }
}
