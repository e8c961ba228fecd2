internal import Encoding
internal import Wire

/// A field of an HTTP head (RFC 9110, section 5).
public struct HTTPField: Sendable, Hashable {
  /// The name; capital and small letters are the same.
  public var name: String
  /// The value.
  public var value: String

  /// Makes a field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// An HTTP request that the agent sends with an account's token.
public struct ResourceRequest: Sendable, Hashable {
  /// The URL: https, at most 2,048 bytes.
  public var url: String

  /// The method; case matters.
  public var method: String

  /// The fields of the head; the agent adds those of the token.
  public var headers: [HTTPField] = []

  /// The body; nil sends none.
  public var body: [UInt8]?

  /// The account; nil means the one that lists the origin of ``url``, never the active one.
  public var account: String?

  /// Whether a redirect is an answer, wherever it leads; else one within the origin is followed.
  public var refusesRedirects = false

  /// How long the token may take, and then for how long nothing may move: 1 second to an hour.
  public var timeout: Duration = .seconds(120)

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - url: https, at most 2,048 bytes.
  ///   - method: nil means `GET`, or `POST` with a body.
  ///   - body: nil sends none.
  ///   - account: nil means the one that lists the origin.
  public init(_ url: String, method: String? = nil, body: [UInt8]? = nil, account: String? = nil) {
    self.url = url
    self.method = method ?? (body == nil ? "GET" : "POST")
    self.body = body
    self.account = account
  }

  /// The longest body that goes with the request's own line, and the longest part of a longer one, in bytes.
  private static let partBytes = 48 << 10

  /// All goes with the lines, so that it also passes a socket that is forwarded from another machine.
  var call: CallRequest {
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

  /// The parts of a body that does not go with the request's own line.
  var partsOfBody: [ResourceBodyRequest] {
    guard let body, body.count > Self.partBytes else { return [] }
    return stride(from: 0, to: body.count, by: Self.partBytes).map { start in
      let end = min(start + Self.partBytes, body.count)
      return ResourceBodyRequest(bytes: Array(body[start..<end]), isLast: end == body.count)
    }
  }

  var timeoutSeconds: Int { min(max(timeout.wholeSeconds, 1), WireProtocol.maximumTimeoutSeconds) }
}
