internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// A request to a resource. Workers use only content, receiver and cancellation.
final class ResourceTransfer: @unchecked Sendable {
  /// Not counting event streams.
  static let maximumConcurrent = 192
  /// To one origin, not counting event streams.
  static let maximumPerOrigin = 128
  static let maximumEventStreams = 128

  let ticket: Ticket
  let target: ResourceCall.Target
  /// Nil for the account's own token.
  private(set) var tokenTarget: TokenTarget?
  /// Whether the request, not the URL's settings, specifies the token's target.
  let requestSpecifiesTarget: Bool
  /// The URL's entry in the account's settings.
  private(set) var entry: OriginEntry?
  let content: DescriptorContent?
  let receiver: StreamReceiver
  /// The pipe's reading end, for a response body in lines. Nil if the client passed a descriptor.
  let responseBodyReader: SharedDescriptor?
  /// The pipe's writing end, for a request body in further lines, until taken.
  private var requestBodyWriter: SharedDescriptor?
  let cancellation = Cancellation()
  /// The request body, if incomplete when the request ended. Kept open, since closing marks it as complete.
  var incompleteRequestBody: InlineRequestBody?
  /// Applies to the token, and to each pause in the transfer.
  let timeoutSeconds: Int

  /// Until when to wait for an unreachable server. Nil for no wait.
  let waitsUntil: Instant?
  /// Whether the response has begun as an event stream.
  var isStream = false
  var failedAttempts = 0

  private(set) var account: AccountName?
  /// Whether a new token was requested after a rejection.
  var hasRefreshed = false

  init(
    _ request: CallRequest, _ ticket: Ticket, timeoutSeconds: Int, waitsUntil: Instant?, passed: [SharedDescriptor],
    reportHead: @escaping @Sendable (ResponseHead) -> Void
  ) throws(Failure) {
    self.ticket = ticket
    self.timeoutSeconds = timeoutSeconds
    self.waitsUntil = waitsUntil
    target = try ResourceCall.Target(request)
    tokenTarget = try TokenTarget.make(request.target, account: request.account)
    requestSpecifiesTarget = tokenTarget != nil
    var reading: SharedDescriptor?
    var writing: SharedDescriptor?
    let passed = try request.isInline ? Self.bodyDescriptors(of: request, &reading, &writing) : passed
    (responseBodyReader, requestBodyWriter) = (reading, writing)
    guard passed.count == (request.sendsBody ? 2 : 1), let last = passed.last else {
      throw Failure(
        .descriptorMissing, "the request must pass a descriptor for the answer, preceded by one for the body, if any")
    }
    do throws(SystemError) {
      content = try request.sendsBody ? DescriptorContent(passed[0], cancellation) : nil
      receiver = try StreamReceiver(last, reportHead: reportHead)
    } catch {
      throw .unusableDescriptor(error)
    }
  }

  /// Creates an inline request's pipes and returns the transfer's ends. `reading` and `writing` become the other ends,
  /// for the response and for a request body in further lines.
  private static func bodyDescriptors(
    of request: CallRequest, _ reading: inout SharedDescriptor?, _ writing: inout SharedDescriptor?
  ) throws(Failure) -> [SharedDescriptor] {
    var bytes: [UInt8]?
    if let text = request.inlineBody {
      do { bytes = try Base64.decode(text) } catch { throw Failure(.invalidRequest, "\"body\" must be base64") }
    }
    do throws(SystemError) {
      let pipe = try Pipe()
      let ends = (reading: SharedDescriptor(pipe.reading), writing: SharedDescriptor(pipe.writing))
      try ends.reading.descriptor.setNonBlocking(true)
      reading = ends.reading
      if request.sendsBodyInLines {
        let content = try Pipe()
        let end = SharedDescriptor(content.writing)
        try end.descriptor.setNonBlocking(true)
        writing = end
        return [SharedDescriptor(content.reading), ends.writing]
      }
      guard let bytes else { return [ends.writing] }
      return [SharedDescriptor(try FileDescriptor.inMemory(bytes.span)), ends.writing]
    } catch {
      throw Failure(.internalError, Phrase("cannot make the request: \(Phrase(stringLiteral: error.message))"))
    }
  }

  func takeRequestBodyWriter() -> SharedDescriptor? {
    defer { requestBodyWriter = nil }
    return requestBodyWriter
  }

  func setAccount(from choice: SelectedAccount) throws(Failure) {
    account = choice.account
    entry = choice.entry
    if tokenTarget == nil { tokenTarget = try TokenTarget.make(choice.entry, account: choice.account.text) }
  }
}

extension ResourceCall.Target {
  init(_ request: CallRequest) throws(Failure) {
    guard let method = ResourceMethod(request.method) else {
      throw .unsendableMethod
    }
    if method.isHead, request.sendsBody { throw Failure(.invalidRequest, "a HEAD request has no body") }
    let endpoint: Endpoint
    // The fragment is never sent (RFC 9110 section 7.1).
    let url = String(decoding: request.url.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
    do {
      endpoint = try Endpoint(url, allowHTTPLoopback: true)
    } catch {
      throw error.code == .insecureURL
        ? .httpsRequired
        : Failure(invalidURL: url)
    }
    do throws(ResourceField.Problem) {
      self.init(method: method, endpoint: endpoint, fields: try ResourceField.fields(request.headers))
    } catch {
      throw Failure(error)
    }
    (refusesRedirects, idleSeconds, lease) = (request.refusesRedirects, request.idleSeconds, request.lease)
  }
}

extension Failure {
  init(invalidURL text: String) {
    do throws(URIError) { _ = try URI(text) } catch {
      switch error {
      case .noScheme, .noHost:
        let url = "https://\(TerminalText.clean(text))"
        let isHost = text.utf8.contains(UInt8(ascii: ".")) && (try? URI(url)) != nil
        self.init(
          .invalidRequest, "the URL must begin with https:// and the name of a host",
          hint: isHost ? Phrase.didYouMean([url]) : Phrase("for example: \("https://api.example.com/me")"))
        return
      case .userinfoPresent:
        self.init(
          .invalidRequest, "the URL has a user name or a password before its host, which is never sent",
          hint: "remove everything before the @")
        return
      case .tooLong, .invalidCharacter, .invalidHost, .invalidPort, .invalidPercentEncoding: break
      }
    }
    self.init(
      .invalidRequest, "the URL is not valid",
      hint: "characters such as spaces and brackets must be percent-encoded; at most \(URI.maximumBytes) bytes")
  }

  fileprivate init(_ problem: ResourceField.Problem) {
    switch problem {
    case .malformed: self.init(.invalidRequest, "a header is too long or does not have the form \"Name: value\"")
    case .reserved(let name):
      self.init(.invalidRequest, "the header \(name) cannot be set: agentd sets or omits it")
    case .tooMany: self.init(.invalidRequest, "there are too many headers")
    }
  }
}
