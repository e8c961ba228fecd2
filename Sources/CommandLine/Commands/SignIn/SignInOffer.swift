internal import Encoding
internal import Platform
internal import Wire

/// Offers to sign in or unlock if a command fails because that is needed, and repeats the command. With `--ask`, does
/// so without asking. Otherwise asks only if the user typed the command: all standard streams are one terminal and the
/// process leads its job.
struct SignInOffer {
  private let client: DaemonClient
  private let isAskGiven: Bool

  /// The timeout for an answer, or for another command that asks.
  private static let timeout = Duration.seconds(60)

  /// Returns an action that runs `work`, which must have printed and started nothing if it fails. Throws
  /// `invalid_request` for `--ask` with `--no-input`.
  static func action(
    _ invocation: Invocation, _ client: DaemonClient, _ work: @escaping () throws(Failure) -> Int32
  ) throws(Failure) -> Action {
    let offer = SignInOffer(client: client, isAskGiven: invocation[.ask])
    if offer.isAskGiven, invocation[.noInput] {
      throw invocation.conflict(Option.ask.declaration, Option.noInput.declaration)
    }
    return Action { () throws(Failure) in
      do throws(Failure) { return try work() } catch {
        guard let remedy = Remedy(error, client.commands), offer.mayAsk else { throw error }
        return try offer.run(work, after: error, remedy)
      }
    }
  }

  static func isPossible(after failure: Failure) -> Bool { canResolve(failure) && Terminal.isTerminal(2) }

  static func canResolve(_ failure: Failure) -> Bool { Remedy.codes.contains(failure.code) }

  private var mayAsk: Bool {
    guard client.console.mayAsk, let terminal = try? Terminal.openControlling(), Terminal.isForeground(terminal) else {
      return false
    }
    if isAskGiven { return true }
    return !client.console.usesJSON && !client.console.isQuiet && Terminal.hasAllStandardStreams
      && Processes.isGroupLeader
  }

  /// Asks the user and repeats the work, while other commands that would ask wait.
  private func run(
    _ work: () throws(Failure) -> Int32, after failure: Failure, _ remedy: Remedy
  ) throws(Failure) -> Int32 {
    guard let path = try? SocketLocation.currentDirectory(),
      let directory = try? PrivateDirectory(opening: path, create: false)
    else {
      return try ask(work, after: failure)
    }
    let name = "ask-\(remedy.account ?? "").lock"
    var failure = failure
    if let lock = try? directory.tryLock(name) {
      let result = Result { () throws(Failure) in try ask(work, after: failure) }
      lock.release()
      return try result.get()
    }
    client.console.note(Phrase("waiting for another command, which asks about the same account"))
    guard let lock = try? directory.lock(name, wait: Self.timeout) else { throw failure }
    let result = Result { () throws(Failure) in
      do throws(Failure) { return try work() } catch { failure = error }
      return try ask(work, after: failure)
    }
    lock.release()
    return try result.get()
  }

  /// Offers a sign-in and unlocking, each at most once, and repeats `work` after each.
  private func ask(_ work: () throws(Failure) -> Int32, after first: Failure) throws(Failure) -> Int32 {
    var failure = first
    for _ in 0..<2 {
      guard let remedy = Remedy(failure, client.commands), try remedy.confirm(isAskGiven, within: Self.timeout) else {
        break
      }
      try carryOut(remedy, for: failure)
      do throws(Failure) { return try work() } catch {
        guard error.code != failure.code else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// Signs in or unlocks. Throws `failure` if impossible.
  private func carryOut(_ remedy: Remedy, for failure: Failure) throws(Failure) {
    let command: Invocation
    do {
      command = try Parser.parse(remedy.words + (client.isPrivate ? ["--no-daemon"] : []), by: client.commands)
    } catch { throw failure }
    guard remedy.signInReason == nil else {
      var status: Int32 = 0
      // Show its screen, but do not let a shell evaluate its output.
      try Terminal.withTerminalAsStandardError { () throws(Failure) in
        status = try LoginCommand.makeAction(command).run()
      }
      if status != 0 { throw failure }
      return
    }
    // A private daemon locks when its connection ends.
    guard !client.isPrivate else { throw failure }
    let unlocker = try VaultUnlocker(command, client, timeout: Self.timeout)
    do throws(Failure) {
      let opened = try client.converse { (connection) throws(Failure) in
        try unlocker.open(remedy.account, over: &connection)
      }
      if opened.isEmpty { throw failure }
    } catch {
      // The user typed nothing.
      throw error.code == .invalidRequest ? failure : error
    }
  }

  /// A command that resolves a failure: a sign-in, or `unlock`.
  private struct Remedy {
    let account: String?
    /// The command line, without the program's name.
    let words: [String]
    /// Nil for `unlock`.
    let signInReason: Phrase?

    static let codes: Set<FailureCode> = [.signedOut, .sessionExpired, .interactionRequired, .locked]

    /// Parses the failure's hint. Nil if it names no remedy.
    init?(_ failure: Failure, _ commands: CommandTable) {
      guard Self.codes.contains(failure.code), let text = failure.advice?.command,
        let words = ShellWord.words(text), let command = LoginOptions.invocation(of: text, by: commands)
      else { return nil }
      account = try? command.namedAccount()
      switch command.command?.name {
      case .unlock where failure.code == .locked:
        (self.words, signInReason) = (["unlock"] + [account].compactMap { $0 }, nil)
      case .login where failure.code != .locked:
        guard let account else { return nil }
        self.words = Array(words.dropFirst())
        signInReason = failure.code == .signedOut ? failure.text : Phrase("the session of \(account) has ended")
      default: return nil
      }
    }

    /// Whether the user wants the remedy. Asks only before a sign-in without `--ask`; otherwise returns true.
    func confirm(_ isAskGiven: Bool, within timeout: Duration) throws(Failure) -> Bool {
      guard !isAskGiven, let signInReason else { return true }
      return try Confirmation.ask(Phrase("\(signInReason). Sign in now?"), orElse: true, within: timeout) ?? false
    }
  }
}
