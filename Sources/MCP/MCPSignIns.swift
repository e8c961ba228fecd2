internal import Encoding
internal import Platform
internal import Wire

/// The sign-ins of a bridge, one at a time.
struct MCPSignIns {
  /// Nil to sign in only if the client can open URLs.
  let policy: SignInPolicy?
  private(set) var current: MCPSignIn?
  /// The poller key of ``current``.
  private var key: UInt64?
  /// When the latest sign-in failed; nil after a success.
  private var lastFailureTime: Instant?
  private var lastNumber = 0
  /// Calls that the bridge answered with a question, by `requestState`, kept until the client repeats them.
  private var callsByQuestion: [String: MCPMessage] = [:]

  /// Begins the IDs of the bridge's own requests.
  static let prefix = "agent-bridge-"
  private static let maximumQuestions = 256
  private static let pauseAfterFailure = Duration.seconds(3600)

  init(_ policy: SignInPolicy?) { self.policy = policy }

  func isCurrentKey(_ key: UInt64) -> Bool { self.key == key }

  func maySignIn(canOpenURLs: Bool) -> Bool {
    guard policy != .never, policy == .ask || canOpenURLs else { return false }
    return lastFailureTime.map { Instant.now >= $0.advanced(by: Self.pauseAfterFailure) } ?? true
  }

  mutating func nextID() -> String {
    lastNumber += 1
    return "\(Self.prefix)sign-in-\(lastNumber)"
  }

  mutating func setCurrent(_ signIn: MCPSignIn, key: UInt64) { (current, self.key) = (signIn, key) }

  mutating func endCurrent(succeeded: Bool) -> MCPSignIn? {
    let signIn = current
    signIn?.close()
    (current, key) = (nil, nil)
    lastFailureTime = succeeded ? nil : .now
    return signIn
  }

  mutating func close() { _ = endCurrent(succeeded: false) }

  /// Returns whether the call was waiting for the sign-in.
  mutating func removeCancelledCall(_ id: JSON) -> Bool {
    guard let current, let index = current.messagesToRepeat.firstIndex(where: { $0.unansweredIDs.contains(id) }) else {
      return false
    }
    current.messagesToRepeat.remove(at: index)
    return true
  }

  mutating func storeCall(_ message: MCPMessage, forQuestion state: String) {
    if callsByQuestion.count >= Self.maximumQuestions { callsByQuestion.removeAll() }
    callsByQuestion[state] = message
  }

  mutating func takeCall(forQuestion state: String) -> MCPMessage? { callsByQuestion.removeValue(forKey: state) }
}

extension MCPBridge {
  /// The question's name in `inputRequests`.
  private static let questionName = "agent_sign_in"

  /// Handles a message refused before processing, or not sent. May start a sign-in.
  func handleRefusal(_ clientMessage: MCPClientMessage, _ failure: Failure, status: Int?) {
    let failure = server.host.completingHint(of: failure)
    let problem = server.problem(failure, status: status)
    guard !clientMessage.message.requestIDs.isEmpty, !clientMessage.triedSignIn,
      let login = server.host.remedy(of: failure)?.permittedSignIn,
      signIns.current != nil || signIns.maySignIn(canOpenURLs: session.canOpenURLs(clientMessage.message))
    else { return fail(clientMessage, problem) }
    clientMessage.triedSignIn = true
    if let current = signIns.current {
      current.messagesToRepeat.append(clientMessage)
      if current.code != nil { askClient(current) }
      return
    }
    do throws(Failure) {
      let signIn = try MCPSignIn(signIns.nextID(), problem, because: failure.message, login, server.host)
      let key = nextKey()
      signIn.messagesToRepeat = [clientMessage]
      signIns.setCurrent(signIn, key: key)
      do { if let descriptor = signIn.descriptor { try poller.add(descriptor, interest: .read, key: key) } } catch {
        _ = signIns.endCurrent(succeeded: false)
        throw Failure(error, doing: "cannot start the sign-in")
      }
    } catch {
      fail(clientMessage, problem)
    }
  }

  func handleSignInStep(_ step: MCPSignIn.Step) {
    switch step {
    case .code: signIns.current.map { askClient($0) }
    case .done:
      guard let signIn = signIns.endCurrent(succeeded: true) else { return }
      unsentMessages.insert(contentsOf: signIn.messagesToRepeat, at: 0)
      if signIn.hasAskedClient {
        output.write(
          MCPMessage.notification(
            "notifications/elicitation/complete", JSONObject([("elicitationId", .string(signIn.id))])))
      }
    case .failed(let failure):
      server.host.note(failure.text)
      failSignIn()
    }
  }

  private func failSignIn() {
    guard let signIn = signIns.endCurrent(succeeded: false) else { return }
    for clientMessage in signIn.messagesToRepeat { fail(clientMessage, signIn.problem) }
  }

  /// Asks the client to show the page, as each call's revision requires.
  private func askClient(_ signIn: MCPSignIn) {
    var messagesToRepeat: [MCPClientMessage] = []
    for clientMessage in signIn.messagesToRepeat {
      guard session.canOpenURLs(clientMessage.message) else {
        fail(clientMessage, signIn.problemWithPage)
        continue
      }
      guard clientMessage.isModern else {
        messagesToRepeat.append(clientMessage)
        continue
      }
      guard let method = clientMessage.message.method,
        ["tools/call", "prompts/get", "resources/read"].contains(method),
        let id = clientMessage.message.id
      else {
        fail(clientMessage, signIn.problemWithPage)
        continue
      }
      let state = "\(signIn.id)-\(nextKey())"
      signIns.storeCall(clientMessage.message, forQuestion: state)
      let question = JSONObject([("method", "elicitation/create"), ("params", .object(signIn.elicitationParameters))])
      output.write(
        MCPMessage.answer(
          id,
          JSONObject([
            ("resultType", "input_required"),
            ("inputRequests", .object(JSONObject([(Self.questionName, .object(question))]))),
            ("requestState", .string(state)),
          ])))
    }
    signIn.messagesToRepeat = messagesToRepeat
    guard !messagesToRepeat.isEmpty, !signIn.hasAskedClient else { return }
    signIn.hasAskedClient = true
    var question = signIn.elicitationParameters
    question["elicitationId"] = .string(signIn.id)
    output.write(MCPMessage.request(signIn.id, "elicitation/create", question))
  }

  func handleQuestionAnswer(_ id: String, _ message: MCPMessage) {
    guard let current = signIns.current, current.id.hasSameBytes(as: id) else { return }
    if !isAcceptance(message.value(["result", "action"])) { failSignIn() }
  }

  private func isAcceptance(_ action: JSON?) -> Bool { action?.string.map { $0 == "accept" } ?? false }

  /// Handles a call repeated with the question's answer.
  func handleRepeatedCall(_ clientMessage: MCPClientMessage, _ state: String) {
    guard let original = signIns.takeCall(forQuestion: state),
      var parameters = clientMessage.message.parameter()?.object
    else {
      return unsentMessages.append(clientMessage)
    }
    let action = clientMessage.message.parameter("inputResponses", Self.questionName, "action")
    // Restore the call's own answers.
    for name in ["inputResponses", "requestState"] { parameters[name] = original.parameter(name) }
    if let own = try? clientMessage.message.replacing(parameters: parameters) { clientMessage.message = own }
    clientMessage.triedSignIn = true
    guard let current = signIns.current, state.utf8.starts(with: "\(current.id)-".utf8) else {
      return unsentMessages.append(clientMessage)
    }
    current.messagesToRepeat.append(clientMessage)
    if !isAcceptance(action) { failSignIn() }
  }
}
