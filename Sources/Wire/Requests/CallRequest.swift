package import Encoding

/// Sends a request to a resource; the token stays in the daemon. Descriptors, unless ``isInline``: the request body's
/// source, if any, and the response body's sink.
package struct CallRequest: RequestBody {
  /// Nil for the account that lists the origin of `url`.
  package var account: String?
  package var url: String
  package var method: String

  /// As `Name: value`.
  package var headers: [String]

  package var sendsBody: Bool

  /// Whether bodies are in protocol lines, as forwarded sockets pass no descriptors.
  package var isInline = false
  /// The body in base64, if sent in this line.
  package var inlineBody: String?
  /// Before base64 encoding. Fits a line.
  package static let maximumInlineBytes = 720 << 10
  /// Whether the body follows in ``ResourceBodyRequest``s, one after each ``Event/bodyWanted``.
  package var sendsBodyInLines = false
  /// Of an ``Event/body(_:)``, before base64 encoding.
  package static let maximumEventBytes = 48 << 10

  /// For an unreachable server, up to 3600; nil for none.
  package var waitSeconds: Int?

  package var refusesRedirects = false

  /// How long the response's body may stall; 0 for no limit, nil for the request's deadline.
  package var idleSeconds: Int?
  package static let maximumIdleSeconds = 86_400

  /// If empty, the account's own token.
  package var target = TokenRequest.Target()

  /// Set by the daemon; not in the protocol.
  package var lease: RequestLease?

  package init(account: String? = nil, url: String, method: String, headers: [String] = [], sendsBody: Bool = false) {
    self.account = account
    self.url = url
    self.method = method
    self.headers = headers
    self.sendsBody = sendsBody
  }

  package var properties: RequestProperties {
    RequestProperties(
      "resource", .allowedForPeers, from: .resource, about: .accountOrListing(account), waitSeconds: waitSeconds)
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    var method: String? = method
    var passesBody = sendsBody && !isInline
    try members.visitText("account", &account, "The account (default: the one that lists the URL).")
    try members.visitText("url", &url, "An https URL, at most 2048 bytes.")
    try members.visitText("method", &method, "The method (default: `GET`, or `POST` with a body).")
    try members.visitTexts("headers", &headers, "Header fields, each `Name: value`.")
    try members.visitFlag("body_descriptor", &passesBody, "The request body follows.")
    try members.visitFlag(
      "inline", &isInline,
      "No descriptors are passed, as over a forwarded socket: the response body comes in events `body`.")
    try members.visitText(
      "body", &inlineBody, limit: WireProtocol.maximumLineBytes, "The body of an inline request, in base64.")
    try members.visitFlag(
      "body_lines", &sendsBodyInLines,
      "The body of an inline request comes in lines `resource_body`, one after each event `body_wanted`.")
    try members.visitNumber(
      "wait", &waitSeconds, in: 1...WireProtocol.maximumTimeoutSeconds,
      "The wait for an unreachable server before `timeout` begins, in seconds (default: none).")
    try members.visitFlag("no_redirects", &refusesRedirects, "Return redirects as they are.")
    try members.visitNumber(
      "idle", &idleSeconds, in: 0...Self.maximumIdleSeconds,
      "The longest time without a byte after the response head, in seconds; 0 is unlimited (default: `timeout`).")
    try target.visitMembers(with: &members)
    try members.check(
      isInline ? !(passesBody || inlineBody != nil && sendsBodyInLines) : inlineBody == nil && !sendsBodyInLines,
      Phrase("a body must be inline, in lines or in a descriptor, as set by \"inline\""))
    sendsBody = passesBody || inlineBody != nil || sendsBodyInLines
    self.method = method ?? (sendsBody ? "POST" : "GET")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Sends a request to a resource with an account's token, which stays in the daemon. The event `response` has the"
        + " response head; there may be events `notice`.",
      result: [
        .text("account", "The account."),
        .number("status", "The status of the response."),
        .number("body_bytes", "The number of bytes of the response body."),
        .object("problem", "An error object: why the response is not a success."),
      ],
      note: "A pipe or socket for the response body follows, after that of `body_descriptor`; it becomes non-blocking."
        + " The body is complete after `body_bytes` bytes. `timeout` limits the time until the token is there, then each"
        + " time without a byte.")
  }
}

/// A part of a ``CallRequest``'s body, on the same connection.
package struct ResourceBodyRequest: RequestBody {
  package var bytes: [UInt8]
  /// Whether this is the last part, which may be empty.
  package var isLast: Bool

  package static let maximumBytes = 192 << 10

  package init(bytes: [UInt8], isLast: Bool) {
    self.bytes = bytes
    self.isLast = isLast
  }
  package var properties: RequestProperties { RequestProperties("resource_body", .allowedForPeers, about: .any) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    var text = bytes.isEmpty ? nil : Base64.encode(bytes)
    try members.visitText(
      "base64", &text, limit: WireProtocol.maximumLineBytes,
      "The part in base64, at most \(Self.maximumBytes) bytes before encoding (default: empty).")
    try members.visitFlag("end", &isLast, "It is the last part.")
    let decoded = try? Base64.decode(text ?? "")
    try members.check(
      decoded.map { $0.count <= Self.maximumBytes } ?? false,
      Phrase("a part of a body must be base64 of at most \(Self.maximumBytes) bytes"))
    bytes = decoded ?? []
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Sends a part of the body of a `resource` request with `body_lines`, on its connection, after an event"
        + " `body_wanted`. It has no result. After the last line of that request it fails with `invalid_request`.")
  }
}

/// The status and header fields of a resource's response.
package struct ResponseHead: EventBody, Sendable, Hashable {
  package var status: Int
  package var headers: [Field]

  package struct Field: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(status: Int, headers: [Field]) {
    self.status = status
    self.headers = headers
  }

  /// The value of the first field with this name, ignoring case.
  package func field(_ name: String) -> String? {
    headers.first { $0.name.lowercased().hasSameBytes(as: name.lowercased()) }?.value
  }

  package var isEventStream: Bool {
    guard (200..<300).contains(status), let type = field("Content-Type") else { return false }
    let name = type.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") }
    return String(decoding: name, as: UTF8.self).lowercased() == "text/event-stream"
  }

  package var headersJSON: JSON { headers.json }

  package var event: Event { .response(self) }
  package var manualEntry: EventManualEntry {
    EventManualEntry(
      "response", "The head of a resource's response. Its body is then written to the descriptor.")
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitNumber("status", &status, "The status.")
    try members.visitValue("headers", &headers, "For each header field its name and its value, in the server's order.")
  }
}

extension [ResponseHead.Field]: MemberValue {
  package static var memberTypeName: String { "list of lists" }
  fileprivate var json: JSON { .array(map { .array([.string($0.name), .string($0.value)]) }) }
  package func addMembers(to object: inout JSONObject, as name: String) { object[name] = json }

  package init?(_ json: JSON, _ name: String) {
    guard let fields = json[name]?.array else { return nil }
    self = fields.compactMap { field in
      guard let pair = field.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
        return nil
      }
      return ResponseHead.Field(name, value)
    }
    if count != fields.count { return nil }
  }
}
