internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// Asks the person, one question after the other, what the peers of a lease may do: by a program that shows the question, as
/// ssh does, or on the terminal. An answer holds for the lease.
struct LeaseQuestions {
  /// An answer for the daemon.
  typealias Answer = (question: Int, isAllowed: Bool)

  private let program: String?
  private var waiting: [Event.LeaseQuestion] = []
  private var answers: [String: Bool] = [:]
  private var current: Current?

  /// The program that asks now.
  private struct Current {
    let question: Event.LeaseQuestion
    let process: Int32
    let descriptor: SharedDescriptor
    let deadline: Instant
  }

  private static let patience = Duration.seconds(60)

  /// - Throws: `invalid_request` where there is no way to ask.
  init(_ invocation: Invocation, mayUseTerminal: Bool) throws(Failure) {
    let named = invocation[.askProgram]
    guard invocation[.confirm] else {
      if named != nil { throw Failure(.invalidRequest, "\"--askpass\" belongs to \"--confirm\"") }
      program = nil
      return
    }
    if named == nil, mayUseTerminal, !invocation[.noInput], (try? Terminal.openControlling()) != nil {
      program = nil
      return
    }
    guard let name = named ?? Environment.value("SSH_ASKPASS"), !name.isEmpty else {
      throw Failure(.invalidRequest, "there is no way to ask", hint: "name a program that asks: --askpass PROGRAM")
    }
    guard let found = Spawn.search(name) else {
      throw Failure(.invalidRequest, Phrase("there is no program \(TokenShape.shown(name))"))
    }
    program = found
  }

  mutating func take(_ question: Event.LeaseQuestion) { waiting.append(question) }

  /// When the program that asks has had its time.
  var deadline: Instant? { current?.deadline }

  /// Asks what waits.
  ///
  /// - Parameter key: Of the event that the program has ended.
  /// - Returns: The answers that are there.
  mutating func go(
    on account: String, _ poller: borrowing Poller, key: UInt64
  ) throws(SystemError) -> [Answer] {
    var found: [Answer] = []
    if let answer = try ended(poller) { found.append(answer) }
    while current == nil, !waiting.isEmpty {
      let question = waiting.removeFirst()
      if let known = answers[question.origin ?? ""] {
        found.append((question.number, known))
      } else if let program {
        if try !start(program, question, account, poller, key: key) { found.append((question.number, false)) }
      } else {
        let text = Self.text(question, account)
        let isAllowed = (try? Confirmation.ask(text)).flatMap { $0 } ?? false
        answers[question.origin ?? ""] = isAllowed
        found.append((question.number, isAllowed))
      }
    }
    return found
  }

  /// - Returns: Whether it could be started.
  private mutating func start(
    _ program: String, _ question: Event.LeaseQuestion, _ account: String, _ poller: borrowing Poller, key: UInt64
  ) throws(SystemError) -> Bool {
    let variables = Environment.all().filter { $0.0 != "SSH_ASKPASS_PROMPT" } + [("SSH_ASKPASS_PROMPT", "confirm")]
    let request = Spawn.Request(
      executable: program, arguments: [program, Self.text(question, account).localized(keepsLines: true)],
      environment: variables.map { "\($0.0)=\($0.1)" }, newSession: true, nullStandardStreams: true)
    guard let process = try? Spawn.start(request) else { return false }
    let descriptor = SharedDescriptor(try Spawn.processDescriptor(process))
    try poller.add(descriptor.descriptor.raw, interest: .read, key: key)
    current = Current(
      question: question, process: process, descriptor: descriptor, deadline: .now.advanced(by: Self.patience))
    return true
  }

  /// The answer of the program, if it has ended or its time is over.
  private mutating func ended(_ poller: borrowing Poller) throws(SystemError) -> Answer? {
    guard let asking = current else { return nil }
    var status = try Spawn.tryWait(asking.process)
    if status == nil, Instant.now >= asking.deadline {
      try? Spawn.killGroup(asking.process, Signals.SIGKILL)
      status = try Spawn.wait(asking.process)
    } else if let status {
      answers[asking.question.origin ?? ""] = status == .exited(0)
    }
    guard let status else { return nil }
    try? poller.remove(asking.descriptor.descriptor.raw)
    current = nil
    return (asking.question.number, status == .exited(0))
  }

  /// Ends what asks: the lease is over.
  func finish() {
    guard let current else { return }
    try? Spawn.killGroup(current.process, Signals.SIGKILL)
    _ = try? Spawn.wait(current.process)
  }

  private static func text(_ question: Event.LeaseQuestion, _ account: String) -> Phrase {
    let peer = question.peer.map { Phrase("process \($0.process) of user \($0.user)") } ?? Phrase("a program")
    guard let origin = question.origin else {
      return Phrase("A lease of the account \(account): \(peer) wants the token itself.\nPermit it?")
    }
    return Phrase(
      "A lease of the account \(account): \(peer) wants to use \(TerminalText.clean(origin, limit: 300)) (\(TerminalText.clean(question.method, limit: 32)) …).\nPermit it?"
    )
  }
}
