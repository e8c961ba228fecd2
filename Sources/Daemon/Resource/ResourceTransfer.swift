internal import Encoding
internal import OAuth
internal import Peers
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

/// One request to a resource, from the client's line to its last answer.
final class ResourceTransfer: @unchecked Sendable {
  /// Limit of concurrent requests, without streams of events.
  static let mostAtOnce = 192
  /// Limit of those to one origin, which leaves places to the others.
  static let mostAtOneOrigin = 128
  /// Limit of streams of events. They may last for days, so they take no places of other requests.
  static let mostStreams = 128

  // Content, receiver and cancellation are used by the worker; what can change is used on the loop only.
  let ticket: Ticket
  let target: ResourceCall.Target
  /// Target of the token that is sent; nil for the account's own token. Where the request names none, that which the
  /// settings have for the place.
  private(set) var tokenTarget: TokenTarget?
  let content: DescriptorContent?
  let receiver: StreamReceiver
  /// The end that the body of the answer comes out of again, for an inline request.
  let inlineBody: SharedDescriptor?
  /// The end that a body in lines goes into, until it is taken.
  private var inlineContent: SharedDescriptor?
  let cancellation = Cancellation()
  /// The body in lines that was not whole when the request ended.
  var unfinished: InlineContent?
  /// Limit for obtaining a token, and then for time without progress.
  let patienceSeconds: Int

  /// Time until which the request waits for an unreachable server; nil if it does not wait.
  let waitsUntil: Instant?
  /// The answer has begun, and is a stream of events.
  var isStream = false
  /// Number of failed attempts to reach the resource.
  var misses = 0

  /// The account that was chosen.
  private(set) var account: AccountName?
  /// A new token was requested because the resource rejected the one before.
  var hasRefreshed = false

  /// - Parameter passed: The descriptors that came with the line, in order.
  init(
    _ request: CallRequest, _ ticket: Ticket, patienceSeconds: Int, waitsUntil: Instant?, passed: [SharedDescriptor],
    tellHead: @escaping @Sendable (ResponseHead) -> Void
  ) throws(Failure) {
    self.ticket = ticket
    self.patienceSeconds = patienceSeconds
    self.waitsUntil = waitsUntil
    target = try ResourceCall.Target(request)
    tokenTarget = try TokenTarget.make(request.target, account: request.account)
    var reading: SharedDescriptor?
    var writing: SharedDescriptor?
    let passed = try request.isInline ? Self.descriptors(of: request, &reading, &writing) : passed
    (inlineBody, inlineContent) = (reading, writing)
    guard passed.count == (request.sendsBody ? 2 : 1), let last = passed.last else {
      throw Failure(
        .descriptorMissing, "the request must bring a descriptor for the answer, and before it one for a body to send")
    }
    do throws(SystemError) {
      content = try request.sendsBody ? DescriptorContent(passed[0]) : nil
      receiver = try StreamReceiver(last, tellHead: tellHead)
    } catch {
      throw .unusableDescriptor(error)
    }
  }

  /// Makes the descriptors that an inline request does not bring.
  ///
  /// - Parameters:
  ///   - reading: Becomes the end that the answer's body comes out of.
  ///   - writing: Becomes the end that a body in lines goes into.
  private static func descriptors(
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
      throw Failure(.internalError, Phrase("the request could not be made: \(Phrase(stringLiteral: error.message))"))
    }
  }

  /// The end that a body in lines goes into. Its only owner, who closes it after the last part.
  func takeInlineContent() -> SharedDescriptor? {
    defer { inlineContent = nil }
    return inlineContent
  }

  /// Takes over which account it is, and what the settings say of the place.
  func adopt(_ choice: ResourceChoice) throws(Failure) {
    account = choice.account
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
      // Whether the account allows plain http is decided with its list.
      endpoint = try Endpoint(url, allowHTTPLoopback: true)
    } catch {
      throw error.code == .insecureURL
        ? .insecurePlace
        : Failure(invalidURL: url)
    }
    do throws(ResourceField.Problem) {
      self.init(
        method: method, endpoint: endpoint, fields: try ResourceField.fields(request.headers),
        refusesRedirects: request.refusesRedirects, idleSeconds: request.idleSeconds,
        lease: request.lease)
    } catch {
      throw Failure(error)
    }
  }
}

extension Failure {
  /// Why a text is no URL to which a request goes.
  init(invalidURL text: String) {
    do throws(URIError) { _ = try URI(text) } catch {
      switch error {
      case .noScheme, .noHost:
        self.init(.invalidRequest, "the URL must begin with https:// and the name of a host")
        return
      case .userinfoPresent:
        self.init(
          .invalidRequest, "the URL has a user name or a password before its host, which is never sent",
          hint: "leave out what is before the @")
        return
      case .tooLong, .invalidCharacter, .invalidHost, .invalidPort, .invalidPercentEncoding: break
      }
    }
    self.init(
      .invalidRequest, "the URL is not valid",
      hint: "characters such as spaces and brackets must be percent-encoded; at most \(URI.maxBytes) bytes")
  }

  fileprivate init(_ problem: ResourceField.Problem) {
    switch problem {
    case .malformed: self.init(.invalidRequest, "a header is not of the form \"Name: value\", or too long")
    case .reserved(let name):
      self.init(.invalidRequest, "the header \(name) is not yours to set: agentd writes it or leaves it out")
    case .tooMany: self.init(.invalidRequest, "there are too many headers")
    }
  }
}
