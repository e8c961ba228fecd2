internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// `agent request`.
enum RequestCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    let output = invocation.text(.output).flatMap { $0.utf8.elementsEqual("-".utf8) ? nil : $0 }
    if invocation.has(.json), output == nil {
      throw Failure(
        .invalidRequest, "with --json the body needs a place of its own", hint: "name a file for it: --output FILE")
    }
    let body = try RequestBody.open(invocation)
    let request = try request(invocation, sendsBody: body != nil)
    var writer = BodyWriter(path: output)
    let client = DaemonClient(invocation)
    let answer = try ResourceConversation(client).run(
      request, sending: body,
      head: { (head) throws(Failure) in
        try writer.open()
        if invocation.has(.include) { try writer.write(Array(text(of: head).utf8).span) }
      },
      body: { (bytes) throws(Failure) in try writer.write(bytes) })
    try writer.close()
    if invocation.has(.json) { try Console.answer(json(answer)) }
    if let problem = answer.problem { throw problem }
    return 0
  }

  /// The line for the daemon.
  static func request(_ invocation: Invocation, sendsBody: Bool) throws(Failure) -> CallRequest {
    let words = invocation.operands
    guard let url = words.last else { throw Failure(.invalidRequest, "no URL is given") }
    let method = words.count > 1 ? words[0] : sendsBody ? "POST" : "GET"
    var request = CallRequest(
      account: try invocation.account(operand: nil), url: url, method: method, headers: invocation.texts(.header),
      sendsBody: sendsBody)
    request.waitSeconds = invocation.seconds(.wait)
    request.target = TargetOptions.read(invocation)
    return request
  }

  /// The head as it is printed: the status, a line for each field, and an empty line, as in HTTP/1.1.
  static func text(of head: ResponseHead) -> String {
    var text = "HTTP \(head.status)\r\n"
    for field in head.headers { text += "\(field.name): \(printable(field.value))\r\n" }
    return text + "\r\n"
  }

  /// Control characters have no place in a field (RFC 9110 section 5.5), and could act on a terminal.
  private static func printable(_ value: String) -> String {
    String(
      decoding: value.utf8.map { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }

  static func json(_ answer: ResourceConversation.Answer) -> JSONObject {
    JSONObject([
      ("account", .string(answer.account)), ("status", .int(answer.head.status)), ("headers", answer.head.headersJSON),
      ("body_bytes", .int(answer.bodyBytes)),
    ])
  }
}

/// What `--data` names, as a descriptor for the daemon to read.
enum RequestBody {
  /// - Returns: Nil when there is nothing to send.
  static func open(_ invocation: Invocation) throws(Failure) -> FileDescriptor? {
    guard let text = invocation.text(.data) else { return nil }
    guard text.utf8.first == UInt8(ascii: "@") else {
      do { return try FileDescriptor.inMemory(Array(text.utf8).span) } catch {
        throw Failure(error, doing: "the data cannot be sent")
      }
    }
    let path = String(text.dropFirst())
    let isStandardInput = path.utf8.elementsEqual("-".utf8)
    if isStandardInput, invocation.has(.noInput), Terminal.isTerminal(0) {
      throw Failure(.invalidRequest, "with --no-input nothing is read from a terminal")
    }
    do {
      return try isStandardInput ? LoginOptions.duplicate(0) : FileDescriptor(opening: path, for: .reading)
    } catch {
      throw Failure(.invalidRequest, "the data in \"\(path)\" cannot be read: \(error.message)")
    }
  }
}
