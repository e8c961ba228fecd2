internal import Encoding
internal import Platform

/// Opens an address in a browser, trying one command after the other. A command counts as failed when it is not
/// there, or ends with another status than 0 within two seconds: what runs on has a browser to show for it.
struct BrowserOpener {
  enum State { case trying, opened, failed }

  private var commands: [[String]]
  private var child: Int32?
  private var childDescriptor: SharedDescriptor?
  private(set) var state = State.trying
  /// When a command that still runs counts as one that worked.
  private(set) var deadline: Instant?

  private static let patience = Duration.seconds(2)

  /// Starts the first command that can be started.
  init(_ commands: [[String]]) {
    self.commands = commands
    startNext()
  }

  /// Readable when the command has ended; nil when none runs.
  var raw: Int32? { childDescriptor?.descriptor.raw }

  /// Whether an address may be given to a browser: only the web is meant, and nothing that a program could take for
  /// an option or a command.
  static func mayOpen(_ url: String) -> Bool {
    guard url.utf8.allSatisfy(\.isVisibleASCII) else { return false }
    let place = String(url.prefix { $0 != "?" && $0 != "#" })
    guard let uri = try? URI(place) else { return false }
    return uri.isHTTPS || uri.isHTTPLoopback
  }

  /// Looks at the command that runs.
  mutating func update(_ now: Instant) {
    guard state == .trying, let child else { return }
    if let status = try? Spawn.tryWait(child) {
      forgetChild()
      if status == .exited(0) { state = .opened } else { startNext() }
    } else if let deadline, now >= deadline {
      forgetChild()
      state = .opened
    }
  }

  private mutating func startNext() {
    while !commands.isEmpty {
      let command = commands.removeFirst()
      guard let program = Spawn.search(command[0]) else { continue }
      // Its output has no place in ours, and it stays when we end.
      let request = Spawn.Request(
        executable: program, arguments: command, environment: Environment.all().map { "\($0.0)=\($0.1)" },
        newSession: true, nullStandardStreams: true)
      guard let child = try? Spawn.start(request) else { continue }
      self.child = child
      childDescriptor = try? SharedDescriptor(Spawn.processDescriptor(child))
      deadline = Instant.now.advanced(by: Self.patience)
      return
    }
    state = .failed
  }

  private mutating func forgetChild() {
    child = nil
    childDescriptor = nil
    deadline = nil
  }
}
