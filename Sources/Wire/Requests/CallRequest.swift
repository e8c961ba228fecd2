package import Encoding

/// Sends a request to a resource with an account's token, which stays in the daemon.
///
/// The descriptors of the request, unless it is ``isInline``: one to read the request body from, if there is a body, then
/// one to write the response body to.
package struct CallRequest: Sendable, Hashable {
  /// The account; nil means the one whose origins contain that of `url`, never the active one.
  package var account: String?
  package var url: String
  package var method: String

  /// Header fields, `Name: value`.
  package var headers: [String]

  /// Whether a body is sent.
  package var sendsBody: Bool

  /// Whether the bodies go with the lines: a forwarded socket passes no descriptors.
  package var isInline = false
  /// The body of an inline request, in base64.
  package var inlineBody: String?
  /// Limit of the bytes of ``inlineBody``, before base64: the line has a limit.
  package static let mostInlineBytes = 720 << 10
  /// Whether the body of an inline request comes in ``ResourceBodyRequest``s, each after an ``Event/bodyWanted``.
  package var sendsBodyInLines = false
  /// Limit of the bytes of one ``Event/body(_:)``.
  package static let mostEventBytes = 48 << 10

  /// The longest wait for an unreachable server, 1 to 3600 seconds; nil does not wait.
  package var waitSeconds: Int?

  /// Whether a redirect is an answer, wherever it leads.
  package var refusesRedirects = false

  /// How long nothing may move once the head of the answer is there, in seconds up to ``longestIdleSeconds``; 0 is without a
  /// limit, nil that of the request's deadline.
  package var idleSeconds: Int?
  package static let longestIdleSeconds = 86_400

  /// The token to send; empty means the account's own.
  package var target = TokenRequest.Target()

  /// The name of the lease that the request came by; never on the wire.
  package var lease: String?

  package init(account: String? = nil, url: String, method: String, headers: [String] = [], sendsBody: Bool = false) {
    self.account = account
    self.url = url
    self.method = method
    self.headers = headers
    self.sendsBody = sendsBody
  }

  init(_ members: RequestMembers) throws(Failure) {
    url = try members.required("url")
    account = try members.text("account")
    isInline = try members.flag("inline")
    inlineBody = try members.text("body", limit: WireProtocol.maximumLineBytes)
    let passesBody = try members.flag("body_descriptor")
    sendsBodyInLines = try members.flag("body_lines")
    guard isInline ? !(passesBody || inlineBody != nil && sendsBodyInLines) : inlineBody == nil && !sendsBodyInLines
    else {
      throw Failure(.invalidRequest, "a body goes with the line, in lines or with a descriptor, as \"inline\" says")
    }
    sendsBody = passesBody || inlineBody != nil || sendsBodyInLines
    method = try members.text("method") ?? (sendsBody ? "POST" : "GET")
    headers = try members.texts("headers")
    waitSeconds = try members.integer("wait", in: 1...WireProtocol.maximumTimeoutSeconds)
    refusesRedirects = try members.flag("no_redirects")
    idleSeconds = try members.integer("idle", in: 0...Self.longestIdleSeconds)
    target = try TokenRequest.Target(members)
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("url", url)
    members.add("method", method)
    members.add("headers", headers)
    members.add("body_descriptor", sendsBody && !isInline)
    members.add("inline", isInline)
    members.add("body", inlineBody)
    members.add("body_lines", sendsBodyInLines)
    members.add("wait", waitSeconds)
    members.add("no_redirects", refusesRedirects)
    members.add("idle", idleSeconds)
    target.addMembers(to: &members)
  }
}

/// A part of the body of a ``CallRequest`` whose body comes in lines, on its connection.
package struct ResourceBodyRequest: Sendable, Hashable {
  /// At most ``mostBytes``.
  package var bytes: [UInt8]
  /// Whether this is the last part, which may be empty.
  package var isLast: Bool

  package static let mostBytes = 192 << 10

  package init(bytes: [UInt8], isLast: Bool) {
    self.bytes = bytes
    self.isLast = isLast
  }

  init(_ members: RequestMembers) throws(Failure) {
    isLast = try members.flag("end")
    let text = try members.text("base64", limit: WireProtocol.maximumLineBytes) ?? ""
    guard let bytes = try? Base64.decode(text), bytes.count <= Self.mostBytes else {
      throw Failure(.invalidRequest, "a part of a body is base64 of at most \(Self.mostBytes) bytes")
    }
    self.bytes = bytes
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("base64", bytes.isEmpty ? nil : Base64.encode(bytes))
    members.add("end", isLast)
  }
}

/// Status and header fields of a resource's response.
package struct ResponseHead: Sendable, Hashable {
  package var status: Int
  package var headers: [Field]

  /// One header field, as the server sent it.
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

  /// The value of the first field of this name.
  package func field(_ name: String) -> String? {
    headers.first { $0.name.lowercased().utf8.elementsEqual(name.lowercased().utf8) }?.value
  }

  /// Whether the body is a stream of server-sent events that has no certain end.
  package var isEventStream: Bool {
    guard (200..<300).contains(status), let type = field("Content-Type") else { return false }
    let name = type.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") }
    return String(decoding: name, as: UTF8.self).lowercased().utf8.elementsEqual("text/event-stream".utf8)
  }

  /// `{"event":"response","status","headers":[[NAME, VALUE], …]}`.
  package var json: JSONObject {
    JSONObject([("event", "response"), ("status", .int(status)), ("headers", headersJSON)])
  }

  package var headersJSON: JSON { .array(headers.map { .array([.string($0.name), .string($0.value)]) }) }

  init?(json: JSON) {
    guard let status = json["status"]?.int, let fields = json["headers"]?.array else { return nil }
    self.status = status
    headers = fields.compactMap { field in
      guard let pair = field.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string else {
        return nil
      }
      return Field(name, value)
    }
    if headers.count != fields.count { return nil }
  }
}
