internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// A sign-in that a bridge asks its client's person for: by the page of the device flow, which the client shows.
final class MCPSignIn {
  /// A step on its way.
  enum Step {
    /// The person can act.
    case code(Event.DeviceCode)
    /// The last one.
    case done
    /// The last one.
    case failed(Failure)
  }

  /// Names it to the client.
  let id: String
  /// The problem that it solves.
  let problem: MCPProblem
  /// The same in a sentence without the command.
  private let reason: String
  /// The messages to send again when it is done.
  var held: [MCPSending] = []
  private(set) var code: Event.DeviceCode?
  /// The client was asked to show the page, as a request of its own.
  var isAsked = false
  private var connection: ClosableConnection
  private let client: DaemonClient

  init(
    _ id: String, _ problem: MCPProblem, because reason: String, _ request: LoginRequest, _ client: DaemonClient
  ) throws(Failure) {
    self.id = id
    self.problem = problem
    self.reason = reason
    self.client = client
    var request = request
    request.flow = .device
    connection = ClosableConnection(try client.connect())
    do throws(Failure) {
      var envelope = client.envelope(.login(request))
      envelope.timeoutSeconds = WireProtocol.maximumTimeoutSeconds
      try connection.send(envelope)
    } catch {
      close()
      throw error
    }
  }

  /// The connection to the daemon, to wait for; nil once it is closed.
  var number: Int32? { connection.number }

  /// Takes the lines of the daemon that are there.
  func readLines(_ tell: (Step) -> Void) {
    do throws(Failure) {
      try connection.readMore()
      while let reply = try connection.takeReply() {
        switch reply {
        case .event(.deviceCode(let code)):
          self.code = code
          tell(.code(code))
        case .event(let event): client.console.tell(event)
        case .failure(let failure): throw failure
        case .result: tell(.done)
        }
      }
    } catch {
      tell(.failed(error))
    }
  }

  /// Gives it up, if it is not done: the daemon ends it when its client is gone.
  func close() { connection.close() }

  // MARK: Texts

  /// The text that the client shows beside the address.
  var message: String { "\(reason). To sign in, type the code \(code?.userCode ?? "") on this page" }

  /// The page, with the code where the server has such an address.
  var url: String { code.map { $0.verificationURIComplete ?? $0.verificationURI } ?? "" }

  /// The question, as parameters of `elicitation/create`.
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
  /// The requests in it that have no answer yet.
  var open: Set<JSON>
  /// The session that it was sent in.
  var generation = 0
  /// It was sent with the id of the session.
  var namedSession = false
  /// It was refused because of a session that was over.
  var isRepeated = false
  /// A sign-in was tried for it.
  var wasHeld = false
  /// How often the rest of its answer was asked for.
  var retries = 0

  init(_ message: MCPMessage) {
    self.message = message
    open = Set(message.requests)
  }

  /// The revision has no sessions: the end of the HTTP request cancels the call.
  var isModern: Bool { message.revision != nil }
  /// Nothing else is sent before it is answered.
  var isBarrier: Bool { !isModern && (message.isCalled("initialize") || message.isCalled("notifications/initialized")) }
}
