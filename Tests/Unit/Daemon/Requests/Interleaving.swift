import Crypto
import Encoding
import OAuth
import WireSupport
import Platform
import Sessions
import TestSupport
import Testing
import Vault
import Vocabulary
import Wire

@testable import Daemon

/// An event that happens during other work.
struct Interleaving: Sendable, CustomStringConvertible {
  enum Work: String, Sendable, CaseIterable {
    case refresh, target, exchange, poll, codeExchange, importing, signOut, removal, check, whoami, role, resource
    case tokenFile, rename, lock
  }

  /// The progress of the work.
  enum Moment: String, Sendable, CaseIterable {
    /// Begun, but nothing of it has run.
    case begun
    /// Waiting for the account's lock, which another process holds.
    case waiting
    /// The server has received the request, and not responded.
    case asked
    /// The response was read, and another process has locked the vault.
    case answered
    /// It has ended on its thread, and the loop has not been notified.
    case ended
  }

  enum Event: String, Sendable, CaseIterable {
    case settingsGone, settingsChanged, settingsChangedAndBack, signOut, localSignOut, removal, rename, lock,
      lockAndUnlock
    case sessionLock, oneCallerGone, callersGone, stop, restart, clockForward, clockBack, networkChange, pause
    case secondRequest, forcedRequest, otherTarget, status, check, changedElsewhere, housekeeping
  }

  let work: Work
  let moment: Moment
  let events: [Event]
  /// The server's responses to the first token requests.
  let ends: [GrantBook.End]

  var description: String {
    "\(work) \(moment), then \(events.map(\.rawValue).joined(separator: ", ")), with \(ends.map(\.rawValue))"
  }
}

extension Interleaving {
  /// Runs this, and returns everything that was lost, answered twice or left over.
  func problems() throws -> [String] {
    try Trial(self).run()
  }
}

/// A daemon with the signed-in account `work`, and callers 1 to 3.
private final class Trial {
  private let plan: Interleaving
  private let daemon: DaemonHome
  private let parts: DaemonParts
  private let dispatcher: Dispatcher
  private let state: PrivateDirectory
  private let locks: PrivateDirectory
  private let mayLock: Bool
  /// The requests that must be answered.
  private var asked: Set<Int> = []
  private var next = 10
  /// The locks of other processes.
  private var held: FileLock?
  /// How many tokens had been served when the settings changed; nil until then.
  private var handedOut: Int?
  private var passed: [Passed] = []
  private let watchedBefore: Set<UInt64>

  private struct Passed {
    weak var descriptor: SharedDescriptor?
  }

  private static let place = "https://sts.example/"

  init(_ plan: Interleaving) throws {
    self.plan = plan
    daemon = try DaemonHome()
    var metadata = PlayedServer.metadata
    metadata["introspection_endpoint"] = "https://as.example/introspect"
    metadata["userinfo_endpoint"] = "https://as.example/userinfo"
    for path in ["openid-configuration", "oauth-authorization-server"] {
      daemon.http.documents["https://as.example/.well-known/\(path)"] = metadata
    }
    daemon.http.documents["https://as.example/introspect"] = ["active": true]
    daemon.http.documents["https://as.example/userinfo"] = ["sub": "alice"]
    let end = Timestamp.rfc3339(daemon.time.wallSeconds() + 3600)
    daemon.http.documents[Self.place] = [
      "answer": .string(
        "<AccessKeyId>AK1</AccessKeyId><SecretAccessKey>SK1</SecretAccessKey><SessionToken>ST1</SessionToken>"
          + "<Expiration>\(end)</Expiration>")
    ]
    parts = try DaemonParts(daemon.context)
    let locking: Set<Interleaving.Event> = [.lock, .lockAndUnlock, .sessionLock]
    mayLock = plan.work == .lock || !locking.isDisjoint(with: plan.events)
    dispatcher = Dispatcher(daemon.context, parts)
    daemon.sink.whenAnswered = { [dispatcher] number in dispatcher.didAnswer(.number(number)) }
    if mayLock { try daemon.createPassphrase(parts.vault, 900) }
    try daemon.addSignedIn(
      "work", protection: mayLock ? .passphrase : .device,
      origins: [Self.place + " token=access_token", "https://api.example"])
    let path = daemon.services.vault.summary().path
    let directory = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    state = try PrivateDirectory(opening: directory, create: true)
    locks = try PrivateDirectory(opening: directory + "/locks", create: true)
    var book = GrantBook()
    book.ends = plan.ends
    if plan.work == .importing { book.add(Self.imported) }
    daemon.http.book = book
    daemon.runJobs()
    watchedBefore = daemon.sink.watchedKeys
  }

  // MARK: Requests

  private func send(_ request: Request, _ number: Int, passed: [SharedDescriptor] = []) {
    asked.insert(number)
    self.passed += passed.map { Passed(descriptor: $0) }
    dispatcher.handle(RequestEnvelope(request), .number(number), passed: passed)
  }

  private func send(_ request: Request, passed: [SharedDescriptor] = []) {
    next += 1
    send(request, next, passed: passed)
  }

  private static func token(_ target: TokenRequest.Target = .init(), force: Bool = false) -> Request {
    var request = TokenRequest(account: "work", forceRefresh: force)
    request.target = target
    return .token(request)
  }

  /// The refresh token of another program, which keeps it if the import does not spend it.
  private static let imported = "rt-imported"
  private static let narrow = TokenRequest.Target(scope: ["narrow"])
  private static let exchanged = TokenRequest.Target(audience: "https://other.example", usesTokenExchange: true)

  private func begin() throws {
    switch plan.work {
    case .refresh: for number in 1...3 { send(Self.token(), number) }
    case .target: for number in 1...3 { send(Self.token(Self.narrow), number) }
    case .exchange: for number in 1...3 { send(Self.token(Self.exchanged), number) }
    case .poll, .codeExchange:
      var request = LoginRequest()
      (request.account, request.issuer, request.clientID) = ("work", "https://as.example", "cli")
      request.flow = plan.work == .poll ? .device : .paste
      send(.login(request), 1)
    case .importing:
      var settings = AccountSettings()
      (settings.issuer, settings.clientID) = ("https://as.example", "cli")
      let token = SharedDescriptor(try FileDescriptor.inMemory(Array(Self.imported.utf8).span))
      send(.account(.import(account: "job", settings, passedSecrets: [])), 1, passed: [token])
    case .signOut: send(.logout(LogoutRequest(account: "work")), 1)
    case .removal: send(.account(.remove(account: "work", local: false)), 1)
    case .check: send(.state(.status(account: "work", check: true)), 1)
    case .whoami: send(.state(.whoami(account: "work")), 1)
    case .role:
      send(
        .assumeRole(
          AssumeRoleRequest(
            url: Self.place, roleARN: "arn:aws:iam::123456789012:role/reader", sessionName: "work")), 1)
    case .resource:
      send(.call(CallRequest(account: "work", url: "https://api.example/items", method: "GET")), 1, passed: [])
    case .tokenFile: send(.tokenFile(TokenFileRequest(account: "work")), 1)
    case .rename: send(.account(.rename(account: "work", to: "job")), 1)
    case .lock:
      send(Self.token(), 2)
      send(.vault(.lock), 1)
    }
  }

  private var isSignIn: Bool { plan.work == .poll || plan.work == .codeExchange }

  /// Whether the work requests tokens from the server.
  private var spends: Bool {
    switch plan.work {
    case .signOut, .removal, .rename, .lock: false
    default: true
    }
  }

  private func reach() throws {
    switch plan.moment {
    case .begun: try begin()
    case .waiting:
      held = .some(try locks.lock("account-work.lock", wait: .zero))
      try begin()
      advance()
      settle()
    case .asked:
      daemon.http.isHeld = true
      try begin()
      advance()
      settle(until: spends ? { self.daemon.http.sent.count > 0 } : nil)
    case .answered:
      daemon.http.isHeld = true
      try begin()
      advance()
      settle(until: spends ? { self.daemon.http.sent.count > 0 } : nil)
      held = .some(try state.lock("vault.lock", wait: .testLimit))
      daemon.http.isHeld = false
      settle()
    case .ended:
      daemon.http.isHeld = true
      try begin()
      advance()
      settle(until: spends ? { self.daemon.http.sent.count > 0 } : nil)
      daemon.http.isHeld = false
      try daemon.awaitEnd()
    }
  }

  /// Makes the first poll of a sign-in due, or delivers its code.
  private func advance() {
    if plan.work == .codeExchange {
      settle { self.browser != nil }
      guard let browser, let state = browser.url.split(separator: "&").first(where: { $0.hasPrefix("state=") })
      else { return }
      let url = "\(browser.redirectURI)?code=c-1&\(state)"
      return send(.loginStep(.redirect(loginID: browser.loginID, url: url)))
    }
    guard plan.work == .poll else { return }
    daemon.settle {
      !self.parts.signIns.logins.isEmpty && self.parts.signIns.logins.values.allSatisfy { $0.device != nil }
    }
    daemon.time.advance(seconds: 5)
    daemon.sink.runDue()
  }

  /// The browser sign-in that waits for its code.
  private var browser: Event.Browser? {
    daemon.sink.events[1]?.lazy.compactMap { if case .browser(let event) = $0 { event } else { nil } }.first
  }

  private func settle(until isDone: (() -> Bool)? = nil) { daemon.settle(until: isDone) }

  // MARK: Events

  private func happen(_ event: Interleaving.Event) throws {
    switch event {
    case .settingsGone:
      let account = try AccountName("work")
      try change { $0.remove(account) }
      handedOut = daemon.sink.lines.count
    case .settingsChanged:
      try change { (settings) throws(ConfigurationError) in try Self.edit(&settings, scope: ["changed"]) }
      handedOut = daemon.sink.lines.count
    case .settingsChangedAndBack:
      try change { (settings) throws(ConfigurationError) in try Self.edit(&settings, scope: ["changed"]) }
      send(.state(.list))
      settle()
      try change { (settings) throws(ConfigurationError) in try Self.edit(&settings, scope: []) }
      send(.state(.list))
    case .signOut: send(.logout(LogoutRequest(account: "work")))
    case .localSignOut: send(.logout(LogoutRequest(account: "work", skipsRevocation: true)))
    case .removal: send(.account(.remove(account: "work", local: false)))
    case .rename: send(.account(.rename(account: "work", to: "other")))
    case .lock: send(.vault(.lock))
    case .sessionLock: parts.locker.lock(.session)
    case .lockAndUnlock:
      send(.vault(.lock))
      try unlock()
    case .oneCallerGone: leave(1)
    case .callersGone: for number in 1...3 { leave(number) }
    case .stop: dispatcher.stop(isPermanent: true)
    case .restart: dispatcher.stop(isPermanent: false)
    case .clockForward: daemon.time.setWall(seconds: daemon.time.wallSeconds() + 7200)
    case .clockBack: daemon.time.setWall(seconds: daemon.time.wallSeconds() - 7200)
    case .networkChange: parts.broker.scheduleNetworkRetry()
    // The machine sleeps for ten minutes, so that no timer runs in time.
    case .pause: daemon.time.advance(seconds: 600)
    case .secondRequest: send(Self.token())
    case .forcedRequest: send(Self.token(force: true))
    case .otherTarget: send(Self.token(Self.narrow))
    case .status: send(.state(.status(account: nil)))
    case .check: send(.state(.status(account: nil, check: true)))
    case .changedElsewhere:
      // The other process would wait for the one that has locked the vault.
      guard plan.moment != .answered else { return }
      try daemon.addSignedIn("elsewhere", isElsewhere: true, refreshToken: "rt-elsewhere")
    case .housekeeping: parts.housekeep()
    }
  }

  private static func phrase() throws -> SecretBytes { try SecretBytes(copying: Array("open sesame".utf8).span) }

  private func unlock() throws {
    let secret = SharedDescriptor(try FileDescriptor.inMemory(Array("open sesame".utf8).span))
    send(.vault(.unlock(.passphrase)), passed: [secret])
  }

  private func change(_ edit: @escaping (inout Settings) throws(ConfigurationError) -> Void) throws {
    _ = try daemon.settings.change(edit)
  }

  private static func edit(_ settings: inout Settings, scope: [String]) throws(ConfigurationError) {
    guard let account = try? AccountName("work"), var configuration = settings[account] else { return }
    configuration.clientID = scope.isEmpty ? "cli" : "other-client"
    try settings.set(configuration, for: account)
  }

  private func leave(_ number: Int) {
    guard daemon.sink.answers[number] == nil else { return }
    asked.remove(number)
    dispatcher.abandon(.number(number))
  }

  // MARK: The end

  func run() throws -> [String] {
    try reach()
    for event in plan.events { try happen(event) }
    daemon.http.isHeld = false
    held = nil
    daemon.runJobs()
    for _ in 0..<3 { daemon.pass(seconds: 2) }
    if plan.work == .tokenFile { dispatcher.abandon(.number(1)) }
    // Lets the code and the time of a sign-in expire.
    if isSignIn { daemon.pass(seconds: 2000) }
    // Long enough for all retries.
    daemon.pass(seconds: 60)
    return try problems() + leftovers()
  }

  /// One timer, for the next renewal.
  private static let mostTimers = 1

  /// What is still open or scheduled two days later, and the requests sent meanwhile without a caller.
  private func leftovers() throws -> [String] {
    var problems: [String] = []
    // After a failure to reach the server, the daemon listens for changes of the network until one finds nobody waiting.
    parts.broker.scheduleNetworkRetry()
    daemon.pass(seconds: 10)
    let before = daemon.http.roles
    for _ in 0..<4 { daemon.pass(seconds: 1800) }
    for _ in 0..<2 { daemon.pass(seconds: 86_400) }
    let asked = daemon.http.roles.dropFirst(before.count).filter { $0 != .revocation && $0 != .metadata }
    if !asked.isEmpty { problems.append("asked without a caller: \(asked)") }
    if daemon.sink.timerCount > Self.mostTimers { problems.append("\(daemon.sink.timerCount) timers are left") }
    let watched = daemon.sink.watchedKeys.subtracting(watchedBefore)
    if !watched.isEmpty { problems.append("\(watched.count) descriptors are watched") }
    let left = passed.filter { $0.descriptor != nil }
    if !left.isEmpty { problems.append("\(left.count) passed descriptors are open") }
    let open = try daemon.openFiles().filter { ![state.path, locks.path].contains($0) }
    if !open.isEmpty { problems.append("open: \(open)") }
    return problems
  }

  private func problems() throws -> [String] {
    var problems: [String] = []
    let held = try storedTokens()
    guard let book = daemon.http.book else { return ["there is no book"] }
    if !book.reused.isEmpty { problems.append("sent again after they were spent: \(book.reused)") }
    var strays = book.live.subtracting(held).subtracting(book.lost.values)
    // A sign-in to an account with a session keeps other grants: some servers end the session with any of them.
    if isSignIn { strays = held.isEmpty ? strays.subtracting(["rt-1"]) : [] }
    strays.remove(Self.imported)
    if !strays.isEmpty, !plan.events.contains(.localSignOut), !isToldOfTheRest {
      problems.append("held by nobody: \(strays.sorted()), stored: \(held.sorted())")
    }
    for number in asked.sorted() where daemon.sink.answers[number] != 1 {
      if plan.work == .tokenFile, number == 1 { continue }
      problems.append("request \(number) was answered \(daemon.sink.answers[number] ?? 0) times")
    }
    for (number, count) in daemon.sink.answers where count > 1 {
      problems.append("\(number) was answered \(count) times")
    }
    // A completed sign-in restores the settings that it was begun with.
    let work = try AccountName("work")
    let isRestored = try isSignIn && daemon.settings.current()[work]?.clientID == "cli"
    if let handedOut, daemon.sink.lines.count > handedOut, !isRestored {
      problems.append("handed out under settings that had changed: \(daemon.sink.lines)")
    }
    for slot in parts.broker.slots where !slot.waiters.isEmpty || slot.run != nil {
      problems.append("left: \(slot.waiters.count) waiters, a run: \(slot.run != nil)")
    }
    if !parts.signIns.logins.isEmpty { problems.append("a sign-in is left") }
    if daemon.context.cancellations.count > 0 {
      problems.append("\(daemon.context.cancellations.count) cancellations are left")
    }
    return problems
  }

  /// Whether a caller was notified that the server may still accept the tokens, since nothing is sent with other
  /// settings.
  private var isToldOfTheRest: Bool {
    let changes: Set<Interleaving.Event> = [.settingsGone, .settingsChanged, .settingsChangedAndBack]
    return !changes.isDisjoint(with: plan.events)
      && daemon.sink.results.values.contains { result in
        ([.object(result)] + (result["accounts"]?.array ?? [])).contains { $0["revoked"] == false }
      }
  }

  /// The refresh tokens that are known here.
  private func storedTokens() throws -> Set<String> {
    if mayLock {
      try unlock()
      daemon.runJobs()
      try? daemon.services.vault.unlock(.passphrase, secret: Self.phrase())
      daemon.services.retryWrites()
    }
    var found: Set<String> = []
    for name in try daemon.services.vault.accounts() where name.text != "elsewhere" {
      guard let record = try daemon.services.record(of: name) else { continue }
      for token in [record.refreshToken, record.revocation?.refreshToken].compactMap({ $0 }) {
        found.insert(token.text)
      }
    }
    return found
  }
}
