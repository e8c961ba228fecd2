internal import Encoding
internal import Platform
internal import Wire

/// The sign-ins of a bridge, one at a time.
struct MCPSignIns {
  /// Nil to sign in only if the client can open a URL.
  let policy: SignInPolicy?
  private(set) var current: MCPSignIn?
  private var key: UInt64?
  /// Nil after a success.
  private var lastFailure: Instant?
  private var count = 0
  /// The calls answered with a question, by its `requestState`. The client repeats them.
  private var questions: [String: MCPMessage] = [:]

  /// The prefix of the bridge's own IDs.
  static let prefix = "agent-bridge-"
  private static let maximumQuestions = 256
  private static let pauseAfterFailure = Duration.seconds(3600)

  init(_ policy: SignInPolicy?) { self.policy = policy }

  func isKey(_ key: UInt64) -> Bool { self.key == key }

  func mayAsk(_ canOpenURLs: Bool) -> Bool {
    guard policy != .never, policy == .ask || canOpenURLs else { return false }
    return lastFailure.map { Instant.now >= $0.advanced(by: Self.pauseAfterFailure) } ?? true
  }

  mutating func nextID() -> String {
    count += 1
    return "\(Self.prefix)sign-in-\(count)"
  }

  mutating func setCurrent(_ signIn: MCPSignIn, key: UInt64) { (current, self.key) = (signIn, key) }

  mutating func finish(succeeded: Bool) -> MCPSignIn? {
    let signIn = current
    signIn?.close()
    (current, key) = (nil, nil)
    lastFailure = succeeded ? nil : .now
    return signIn
  }

  mutating func close() { _ = finish(succeeded: false) }

  /// Returns whether the call was waiting.
  mutating func forget(_ id: JSON) -> Bool {
    guard let current, let index = current.messagesToRepeat.firstIndex(where: { $0.unanswered.contains(id) }) else {
      return false
    }
    current.messagesToRepeat.remove(at: index)
    return true
  }

  mutating func keep(_ message: MCPMessage, as state: String) {
    if questions.count >= Self.maximumQuestions { questions.removeAll() }
    questions[state] = message
  }

  mutating func removeQuestion(_ state: String) -> MCPMessage? { questions.removeValue(forKey: state) }
}

extension MCPBridge {
  /// In `inputRequests`.
  private static let question = "agent_sign_in"

  /// Handles a message that was refused before processing or could not be sent. May start a sign-in.
  func handleRefusal(_ sending: MCPSending, _ failure: Failure, status: Int?) {
    let failure = server.host.completingHint(of: failure)
    let problem = server.problem(failure, status: status)
    guard !sending.message.requests.isEmpty, !sending.waitedForSignIn,
      let login = server.host.remedy(of: failure)?.signIn,
      signIns.current != nil || signIns.mayAsk(session.canOpenURLs(sending.message))
    else { return fail(sending, problem) }
    sending.waitedForSignIn = true
    if let current = signIns.current {
      current.messagesToRepeat.append(sending)
      if current.code != nil { ask(current) }
      return
    }
    do throws(Failure) {
      let signIn = try MCPSignIn(signIns.nextID(), problem, because: failure.message, login, server.host)
      let key = nextKey()
      signIn.messagesToRepeat = [sending]
      signIns.setCurrent(signIn, key: key)
      do { if let number = signIn.number { try poller.add(number, interest: .read, key: key) } } catch {
        _ = signIns.finish(succeeded: false)
        throw Failure(error, doing: "cannot start the sign-in")
      }
    } catch {
      fail(sending, problem)
    }
  }

  func signInStep(_ step: MCPSignIn.Step) {
    switch step {
    case .code: signIns.current.map { ask($0) }
    case .done:
      guard let signIn = signIns.finish(succeeded: true) else { return }
      waiting.insert(contentsOf: signIn.messagesToRepeat, at: 0)
      if signIn.isAsked {
        output.write(
          MCPMessage.notification(
            "notifications/elicitation/complete", JSONObject([("elicitationId", .string(signIn.id))])))
      }
    case .failed(let failure):
      server.host.note(failure.text)
      giveUp()
    }
  }

  private func giveUp() {
    guard let signIn = signIns.finish(succeeded: false) else { return }
    for sending in signIn.messagesToRepeat { fail(sending, signIn.problem) }
  }

  /// Asks as each call's revision requires.
  private func ask(_ signIn: MCPSignIn) {
    var messagesToRepeat: [MCPSending] = []
    for sending in signIn.messagesToRepeat {
      guard session.canOpenURLs(sending.message) else {
        fail(sending, signIn.problemWithPage)
        continue
      }
      guard sending.isModern else {
        messagesToRepeat.append(sending)
        continue
      }
      // Only these methods may be answered with a question.
      guard let method = sending.message.method, ["tools/call", "prompts/get", "resources/read"].contains(method),
        let id = sending.message.id
      else {
        fail(sending, signIn.problemWithPage)
        continue
      }
      let state = "\(signIn.id)-\(nextKey())"
      signIns.keep(sending.message, as: state)
      let question = JSONObject([("method", "elicitation/create"), ("params", .object(signIn.question))])
      output.write(
        MCPMessage.answer(
          id,
          JSONObject([
            ("resultType", "input_required"),
            ("inputRequests", .object(JSONObject([(Self.question, .object(question))]))),
            ("requestState", .string(state)),
          ])))
    }
    signIn.messagesToRepeat = messagesToRepeat
    guard !messagesToRepeat.isEmpty, !signIn.isAsked else { return }
    signIn.isAsked = true
    var question = signIn.question
    question["elicitationId"] = .string(signIn.id)
    output.write(MCPMessage.request(signIn.id, "elicitation/create", question))
  }

  func handleAnswer(_ id: String, _ message: MCPMessage) {
    guard let current = signIns.current, current.id.hasSameBytes(as: id) else { return }
    if !isAcceptance(message.value(["result", "action"])) { giveUp() }
  }

  private func isAcceptance(_ action: JSON?) -> Bool { action?.string.map { $0 == "accept" } ?? false }

  /// Handles a repeated call with the answer to the question.
  func handleRepeatedCall(_ sending: MCPSending, _ state: String) {
    guard let original = signIns.removeQuestion(state), var parameters = sending.message.parameter()?.object else {
      return waiting.append(sending)
    }
    let action = sending.message.parameter("inputResponses", Self.question, "action")
    // Restore the call's own answers to the server's questions.
    for name in ["inputResponses", "requestState"] { parameters[name] = original.parameter(name) }
    if let own = try? sending.message.replacing(parameters: parameters) { sending.message = own }
    sending.waitedForSignIn = true
    guard let current = signIns.current, state.utf8.starts(with: "\(current.id)-".utf8) else {
      return waiting.append(sending)
    }
    current.messagesToRepeat.append(sending)
    if !isAcceptance(action) { giveUp() }
  }
}
