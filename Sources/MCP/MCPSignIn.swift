internal import Encoding
internal import Wire

/// A sign-in with the device flow, whose page the client shows to the user.
final class MCPSignIn {
  enum Step {
    /// The user can open the page and type the code.
    case code(Event.DeviceCode)
    case done
    case failed(Failure)
  }

  /// Identifies the question to the client.
  let id: String
  /// The failure that the sign-in remedies.
  let problem: MCPProblem
  /// Why a sign-in is needed: a sentence without full stop or command.
  private let reason: String
  var messagesToRepeat: [MCPClientMessage] = []
  private(set) var code: Event.DeviceCode?
  /// Whether a request asked the client to show the page.
  var hasAskedClient = false
  /// Nil once closed.
  private var connection: DaemonConnection?
  private let host: any MCPHost

  init(
    _ id: String, _ problem: MCPProblem, because reason: String, _ request: LoginRequest, _ host: any MCPHost
  ) throws(Failure) {
    self.id = id
    self.problem = problem
    self.reason = reason
    self.host = host
    var request = request
    request.flow = .device
    connection = .some(try host.connect())
    var envelope = host.envelope(.login(request))
    envelope.timeoutSeconds = WireProtocol.maximumTimeoutSeconds
    try connection?.send(envelope)
  }

  var descriptor: Int32? { connection?.descriptor }

  func readLines(_ report: (Step) -> Void) {
    do throws(Failure) {
      try connection?.readMore()
      while let reply = try connection?.takeReply() {
        switch reply {
        case .event(.deviceCode(let code)):
          self.code = code
          report(.code(code))
        case .event(let event): host.show(event)
        case .failure(let failure): throw failure
        case .result: report(.done)
        }
      }
    } catch {
      report(.failed(error))
    }
  }

  /// Cancels the sign-in unless it is complete.
  func close() { connection = nil }

  // MARK: Texts

  /// Shown with the URL.
  var message: String { "\(reason). To sign in, type the code \(code?.userCode ?? "") on this page" }

  /// Includes the code if the server supports that.
  var url: String { code.map { $0.verificationURIComplete ?? $0.verificationURI } ?? "" }

  /// The parameters of `elicitation/create`, which shows a page.
  var elicitationParameters: JSONObject {
    JSONObject([("mode", "url"), ("message", .string(message)), ("url", .string(url))])
  }

  /// ``problem`` with URL and code, for a client that cannot show pages.
  var problemWithPage: MCPProblem {
    var problem = problem
    guard let code else { return problem }
    problem.message += "; or open \(code.verificationURI) and type the code \(code.userCode), then call again"
    problem.data["url"] = .string(url)
    problem.data["user_code"] = .string(code.userCode)
    return problem
  }
}

/// A message from the client, and the progress of its delivery.
final class MCPClientMessage {
  var message: MCPMessage
  var unansweredIDs: Set<JSON>
  /// The ``MCPSession/generation`` when sent.
  var generation = 0
  /// Whether the request contained a session ID.
  var hadSessionID = false
  /// Whether the message is being repeated after a refusal.
  var isRepeated = false
  var triedSignIn = false
  /// Counts requests for the rest of the response since the latest event.
  var retries = 0

  init(_ message: MCPMessage) {
    self.message = message
    unansweredIDs = Set(message.requestIDs)
  }

  /// Whether the message's revision has no sessions. Ending the HTTP request then cancels the call.
  var isModern: Bool { message.revision != nil }
  /// Whether later messages wait for the response.
  var isBarrier: Bool {
    !isModern && (message.hasMethod("initialize") || message.hasMethod("notifications/initialized"))
  }
}
