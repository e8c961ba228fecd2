internal import Encoding
internal import Platform
internal import Wire

/// Asks about requests of a lease's peers, on the terminal or with a program like `SSH_ASKPASS`. An answer applies to
/// its origin until the lease ends.
struct LeaseQuestions {
  typealias Answer = (question: Int, isAllowed: Bool)

  /// Nil for the terminal.
  private let program: String?
  private var unaskedQuestions: [Event.LeaseQuestion] = []
  /// The answers by origin.
  private var answers: [String: Bool] = [:]
  private var openQuestion: OpenQuestion?

  private struct OpenQuestion {
    let question: Event.LeaseQuestion
    /// The asking program; nil for the terminal.
    let process: Int32?
    /// Readable once there is an answer.
    let descriptor: SharedDescriptor
    let deadline: Instant
  }

  private static let timeout = Duration.seconds(60)

  /// Throws `invalid_request` if asking is impossible.
  init(_ invocation: Invocation, mayUseTerminal: Bool) throws(Failure) {
    let named = invocation[.askProgram]
    guard invocation[.confirm] else {
      if named != nil { throw Failure(.invalidRequest, "\"--askpass\" requires \"--confirm\"") }
      program = nil
      return
    }
    if named == nil, mayUseTerminal, !invocation[.noInput], (try? Terminal.openControlling()) != nil {
      program = nil
      return
    }
    guard let name = named ?? Environment.value("SSH_ASKPASS"), !name.isEmpty else {
      throw Failure(.invalidRequest, "cannot ask for confirmation", hint: "use a program that asks: --askpass PROGRAM")
    }
    guard let found = Spawn.search(name) else {
      throw Failure(.invalidRequest, Phrase("program not found: \(TokenShape.redacted(name))"))
    }
    program = found
  }

  mutating func enqueue(_ question: Event.LeaseQuestion) { unaskedQuestions.append(question) }

  var deadline: Instant? { openQuestion?.deadline }

  /// Asks a question if none is open, and returns the new answers.
  mutating func askNext(
    on account: String, _ poller: borrowing Poller, key: UInt64
  ) throws(SystemError) -> [Answer] {
    var found: [Answer] = []
    if let answer = try takeAnswer(poller) { found.append(answer) }
    while openQuestion == nil, !unaskedQuestions.isEmpty {
      let question = unaskedQuestions.removeFirst()
      if let known = answers[question.origin ?? ""] {
        found.append((question.number, known))
      } else {
        let isAsked =
          if let program { try startProgram(program, question, account, poller, key: key) } else {
            try askOnTerminal(question, account, poller, key: key)
          }
        if !isAsked { found.append((question.number, false)) }
      }
    }
    return found
  }

  /// Returns false without a terminal.
  private mutating func askOnTerminal(
    _ question: Event.LeaseQuestion, _ account: String, _ poller: borrowing Poller, key: UInt64
  ) throws(SystemError) -> Bool {
    guard let terminal = try? Terminal.openControlling() else { return false }
    // Input typed earlier does not answer this question.
    Terminal.discardInput(on: terminal)
    guard (try? terminal.writeAll(Array(Confirmation.text(of: Self.text(question, account)).utf8).span)) != nil else {
      return false
    }
    let descriptor = SharedDescriptor(terminal)
    try poller.add(descriptor.descriptor.raw, interest: .read, key: key)
    openQuestion = OpenQuestion(
      question: question, process: nil, descriptor: descriptor, deadline: .now.advanced(by: Self.timeout))
    return true
  }

  /// Returns false on failure.
  private mutating func startProgram(
    _ program: String, _ question: Event.LeaseQuestion, _ account: String, _ poller: borrowing Poller, key: UInt64
  ) throws(SystemError) -> Bool {
    let variables = Environment.all().filter { $0.0 != "SSH_ASKPASS_PROMPT" } + [("SSH_ASKPASS_PROMPT", "confirm")]
    let request = Spawn.Request(
      executable: program, arguments: [program, Self.text(question, account).localized(keepsLines: true)],
      environment: variables.map { "\($0.0)=\($0.1)" }, newSession: true, nullStandardStreams: true)
    guard let process = try? Spawn.start(request) else { return false }
    let descriptor = SharedDescriptor(try Spawn.processDescriptor(process))
    try poller.add(descriptor.descriptor.raw, interest: .read, key: key)
    openQuestion = OpenQuestion(
      question: question, process: process, descriptor: descriptor, deadline: .now.advanced(by: Self.timeout))
    return true
  }

  /// The answer, or "no" after the deadline.
  private mutating func takeAnswer(_ poller: borrowing Poller) throws(SystemError) -> Answer? {
    guard let asking = openQuestion else { return nil }
    let isLate = Instant.now >= asking.deadline
    let answer =
      if let process = asking.process { try Self.reapAnswer(of: process, isLate) } else {
        try Self.typedAnswer(asking.descriptor, isLate)
      }
    guard let isAllowed = answer else { return nil }
    // A timeout refuses only these requests.
    if !isLate { answers[asking.question.origin ?? ""] = isAllowed }
    try? poller.remove(asking.descriptor.descriptor.raw)
    openQuestion = nil
    return (asking.question.number, isAllowed)
  }

  /// True if the program exits with 0, nil while it runs. Kills it if `isLate`.
  private static func reapAnswer(of process: Int32, _ isLate: Bool) throws(SystemError) -> Bool? {
    if let status = try Spawn.tryWait(process) { return status == .exited(0) }
    guard isLate else { return nil }
    try? Spawn.killGroup(process, Signals.SIGKILL)
    return try Spawn.wait(process) == .exited(0)
  }

  /// True for "yes", nil if nothing was typed. False if `isLate`.
  private static func typedAnswer(_ terminal: SharedDescriptor, _ isLate: Bool) throws(SystemError) -> Bool? {
    guard try terminal.descriptor.waitUntilReadable(timeout: .zero) else {
      guard isLate else { return nil }
      try? terminal.descriptor.writeAll([UInt8(ascii: "\n")].span)
      return false
    }
    var line: [UInt8] = []
    _ = try? Terminal.readTyped(on: terminal.descriptor, into: &line)
    return Confirmation.isYes(String(decoding: line, as: UTF8.self))
  }

  /// Ends the asking program.
  func finish() {
    guard let process = openQuestion?.process else { return }
    try? Spawn.killGroup(process, Signals.SIGKILL)
    _ = try? Spawn.wait(process)
  }

  private static func text(_ question: Event.LeaseQuestion, _ account: String) -> Phrase {
    let peer = question.peer.map { Phrase("process \($0.processID) of user \($0.userID)") } ?? Phrase("a program")
    guard let origin = question.origin else {
      return Phrase("Lease of the account \(account): \(peer) requests the token itself.\nAllow?")
    }
    return Phrase(
      "Lease of the account \(account): \(peer) requests \(TerminalText.clean(origin, limit: 300)) (\(TerminalText.clean(question.method, limit: 32)) …).\nAllow?"
    )
  }
}
