internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// A sign-in that a bridge asks the client's user for, with the page of the device flow, which the client shows.
final class MCPSignIn {
  enum Step {
    /// The user can act.
    case code(Event.DeviceCode)
    case done
    /// The last step.
    case failed(Failure)
  }

  /// Identifies it to the client.
  let id: String
  let problem: MCPProblem
  /// The problem in a sentence without the command.
  private let reason: String
  /// The messages to send again afterwards.
  var held: [MCPSending] = []
  private(set) var code: Event.DeviceCode?
  /// Whether the client was asked to show the page with a separate request.
  var isAsked = false
  private var connection: ClosableConnection
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
    connection = ClosableConnection(try host.connect())
    do throws(Failure) {
      var envelope = host.envelope(.login(request))
      envelope.timeoutSeconds = WireProtocol.maximumTimeoutSeconds
      try connection.send(envelope)
    } catch {
      close()
      throw error
    }
  }

  /// The connection to the daemon, to poll; nil once it is closed.
  var number: Int32? { connection.number }

  /// Handles the daemon's lines that have arrived.
  func readLines(_ tell: (Step) -> Void) {
    do throws(Failure) {
      try connection.readMore()
      while let reply = try connection.takeReply() {
        switch reply {
        case .event(.deviceCode(let code)):
          self.code = code
          tell(.code(code))
        case .event(let event): host.tell(event)
        case .failure(let failure): throw failure
        case .result: tell(.done)
        }
      }
    } catch {
      tell(.failed(error))
    }
  }

  /// Cancels the sign-in, if it is not complete: the daemon ends it when its client disconnects.
  func close() { connection.close() }

  // MARK: Texts

  /// The text that the client shows with the URL.
  var message: String { "\(reason). To sign in, type the code \(code?.userCode ?? "") on this page" }

  /// The page, including the code if the server provides such a URL.
  var url: String { code.map { $0.verificationURIComplete ?? $0.verificationURI } ?? "" }

  /// The question as parameters of `elicitation/create`.
  var question: JSONObject { JSONObject([("mode", "url"), ("message", .string(message)), ("url", .string(url))]) }

  /// The problem, for a client that shows no pages.
  var problemWithPage: MCPProblem {
    var problem = problem
    guard let code else { return problem }
    problem.message += "; or open \(code.verificationURI) and type the code \(code.userCode), then call again"
    problem.data["url"] = .string(url)
    problem.data["user_code"] = .string(code.userCode)
    return problem
  }
}

/// A message of the client on its way to the server.
final class MCPSending {
  var message: MCPMessage
  /// The requests in it without a response.
  var open: Set<JSON>
  /// The session in which it was sent.
  var generation = 0
  /// Whether it was sent with the session's ID.
  var namedSession = false
  /// Whether it was refused before it was processed, and is sent once more.
  var isRepeated = false
  /// Whether a sign-in was attempted for it.
  var wasHeld = false
  /// How often the rest of its response was requested.
  var retries = 0

  init(_ message: MCPMessage) {
    self.message = message
    open = Set(message.requests)
  }

  /// Whether the revision has no sessions: the end of the HTTP request cancels the call.
  var isModern: Bool { message.revision != nil }
  /// Whether nothing else is sent before its response.
  var isBarrier: Bool { !isModern && (message.isCalled("initialize") || message.isCalled("notifications/initialized")) }
}
