internal import Encoding
internal import Platform
internal import Wire

enum RequestCommand {
  static let request = Command(
    .request, topic: .tokens,
    summary: "Make a request to a resource with an account's token",
    options: [
      Option.method.withSummary("The method of the request (default: `GET`, with a body `POST`)"),
      Option.headers.declaration, Option.data.declaration, Option.output.declaration,
      Option.include.declaration, Option.raw.declaration,
      Option.wait.declaration, Option.idle.declaration, Option.ask.declaration,
    ] + Options.tokenTarget,
    shortHelp: ["header", "data", "output", "include", "scope", "audience", "ask"],
    operands: .methodAndURL,
    examples: [
      Example(
        "Permit an API for an account's token, then use it",
        "agent account set work --host api.example.com; agent request https://api.example.com/me"),
      Example(
        "Send a document",
        "agent request PUT https://api.example.com/notes/1 -H 'Content-Type: application/json' --data @note.json"),
      Example("Save the response body in a file", "agent request https://api.example.com/me --output me.json"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let output = invocation[.output].flatMap { $0 == "-" ? nil : $0 }
    let client = DaemonClient(invocation)
    if client.console.usesJSON, output == nil {
      throw Failure(
        .invalidRequest, "with --json the body must go to a file", hint: "set the file with \("--output")")
    }
    let (data, includesHead, timeout) = (try data(invocation[.data]), invocation[.include], invocation[.timeout])
    let isRaw = invocation[.raw]
    let request = try request(invocation, sendsBody: data != nil)
    let readsInput = data == "@-"
    if readsInput, invocation[.ask] {
      throw Failure(
        .invalidRequest, "--ask cannot send standard input again after the sign-in", hint: "put the data into a file")
    }
    var problem: Failure?
    let work = { () throws(Failure) -> Int32 in
      let body = try openBody(data, within: timeout, client.console)
      var writer = BodyWriter(path: output, within: timeout, isRaw: isRaw)
      let answer = try client.request(
        request, sending: body,
        head: { (head) throws(Failure) in
          try writer.open()
          if includesHead { try writer.write(Array(text(of: head).utf8).span) }
        },
        body: { (bytes) throws(Failure) in try writer.writeBody(bytes) })
      try writer.close()
      if client.console.usesJSON { try Console.answer(json(answer)) }
      problem = answer.problem
      return 0
    }
    let action = readsInput ? Action(work) : try SignInOffer.action(invocation, client, work)
    return Action { () throws(Failure) in
      let status = try action.run()
      // The response was printed, so do not retry after a sign-in.
      if let problem { throw problem }
      return status
    }
  }

  static func request(_ invocation: Invocation, sendsBody: Bool) throws(Failure) -> CallRequest {
    let (method, url) = try invocation.methodAndURL()
    var request = CallRequest(
      account: try invocation.account(operand: nil), url: url, method: method ?? (sendsBody ? "POST" : "GET"),
      headers: invocation[.headers], sendsBody: sendsBody)
    request.waitSeconds = invocation[.wait]
    request.idleSeconds = invocation[.idle]
    request.target = try TokenRequest.Target(invocation)
    return request
  }

  /// As in HTTP/1.1. Replaces control characters, which are invalid in fields (RFC 9110 section 5.5).
  static func text(of head: ResponseHead) -> String {
    var text = "HTTP \(head.status)\r\n"
    for field in head.headers { text += "\(field.name): \(TerminalText.replacingControls(field.value))\r\n" }
    return text + "\r\n"
  }

  static func json(_ answer: ResourceAnswer) -> JSONObject {
    JSONObject([
      ("account", .string(answer.account)), ("status", .int(answer.head.status)), ("headers", answer.head.headersJSON),
      ("body_bytes", .int(answer.bodyBytes)),
    ])
  }

  /// Joins several values of `--data` into one form (WHATWG URL, section 5), which cannot contain files.
  static func data(_ given: [String]) throws(Failure) -> String? {
    guard given.count > 1 else { return given.first }
    guard !given.contains(where: namesFile) else {
      throw Failure(
        .invalidRequest, "several --data form fields cannot be combined with a file (\"@\"), which is sent unchanged")
    }
    return given.joined(separator: "&")
  }

  private static func namesFile(_ data: String) -> Bool { data.utf8.first == UInt8(ascii: "@") }

  private static func openBody(
    _ data: String?, within seconds: Int?, _ console: Console
  ) throws(Failure) -> SharedDescriptor? {
    guard let data else { return nil }
    guard namesFile(data) else {
      do { return SharedDescriptor(try FileDescriptor.inMemory(Array(data.utf8).span)) } catch {
        throw Failure(error, doing: "cannot send the data")
      }
    }
    let path = String(data.dropFirst())
    if path == "-", !console.mayAsk, Terminal.isTerminal(0) {
      throw Failure(.invalidRequest, "cannot read from a terminal with --no-input")
    }
    return SharedDescriptor(
      try NamedFile.openInput(path, within: seconds) {
        Failure(.invalidRequest, Phrase("cannot read the data in \"\(path)\": \($0)"))
      })
  }
}

/// Writes a response's body to standard output, or replaces a file.
struct BodyWriter: ~Copyable {
  private let path: String?
  private let timeoutSeconds: Int?
  private var file: FileDescriptor?
  /// Removes control characters on a terminal; nil for other or raw output.
  private var filter: TerminalFilter?

  /// Writes to standard output if `path` is nil. `seconds` limits the wait for a FIFO's reader. `isRaw` disables
  /// filtering.
  init(path: String?, within seconds: Int?, isRaw: Bool = false) {
    (self.path, timeoutSeconds) = (path, seconds)
    if path == nil, !isRaw, Terminal.isTerminal(1) { filter = TerminalFilter() }
  }

  /// Opens the file, if any, which is unchanged before this call.
  mutating func open() throws(Failure) {
    guard let path else { return }
    file = try NamedFile.open(path, for: .replacing, within: timeoutSeconds) { Self.unwritable(path, $0) }
  }

  mutating func write(_ bytes: Span<UInt8>) throws(Failure) {
    do {
      switch file {
      case .some(let file): try file.writeAll(bytes)
      case .none: try Output.write(bytes, to: .standardOutput)
      }
    } catch {
      throw unwritable(error)
    }
  }

  /// Filters control characters on a terminal.
  mutating func writeBody(_ bytes: Span<UInt8>) throws(Failure) {
    guard let shown = filter?.filter(bytes) else { return try write(bytes) }
    try write(shown.span)
  }

  mutating func close() throws(Failure) {
    guard let file = file.take() else { return }
    do { try file.close() } catch { throw unwritable(error) }
  }

  private borrowing func unwritable(_ error: SystemError) -> Failure {
    path.map { Self.unwritable($0, Phrase(known: error.message)) } ?? Console.unwritable(error)
  }

  private static func unwritable(_ path: String, _ problem: Phrase) -> Failure {
    Failure(.storage, Phrase("cannot write the answer to \"\(path)\": \(problem)"))
  }
}
