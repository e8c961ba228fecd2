internal import Encoding
internal import Platform

/// Opens a URL with the first command that works. A command fails if missing, or if it ends within two seconds with a
/// status other than 0. A launcher, which ends once the browser has the URL, also fails if it hangs.
struct BrowserOpener {
  enum State { case trying, opened, failed }

  private var commands: [[String]]
  private var child: Int32?
  private var isLauncher = false
  private var childDescriptor: SharedDescriptor?
  private(set) var state = State.trying
  /// When to stop waiting for the command.
  private(set) var deadline: Instant?

  /// How long to wait for a command to fail.
  private static let timeout = Duration.seconds(2)
  /// Programs that pass a URL to a browser and exit.
  private static let launchers = ["xdg-open", "gio", "wslview", "kde-open", "kde-open5", "exo-open", "gnome-open"]

  init(_ commands: [[String]]) {
    self.commands = commands
    startNext()
  }

  /// The descriptor to poll for the command's end; nil if none is running.
  var raw: Int32? { childDescriptor?.descriptor.raw }

  /// Whether a URL may be passed to a browser: http or https, and nothing like an option or command.
  static func mayOpen(_ url: String) -> Bool {
    guard url.utf8.allSatisfy(\.isVisibleASCII) else { return false }
    let text = String(url.prefix { $0 != "?" && $0 != "#" })
    guard let uri = try? URI(text) else { return false }
    return uri.isHTTPS || uri.isHTTPLoopback
  }

  /// Records the running command's result, or starts the next one.
  mutating func update(_ now: Instant) {
    guard state == .trying, let child else { return }
    if let status = try? Spawn.tryWait(child) {
      forgetChild()
      if status == .exited(0) { state = .opened } else { startNext() }
    } else if let deadline, now >= deadline {
      forgetChild()
      if isLauncher, commands.contains(where: { Spawn.search($0[0]) != nil }) { startNext() } else { state = .opened }
    }
  }

  private mutating func startNext() {
    while !commands.isEmpty {
      let command = commands.removeFirst()
      guard let program = Spawn.search(command[0]) else { continue }
      // Its output must not mix with ours, and it may outlive us.
      let request = Spawn.Request(
        executable: program, arguments: command, environment: Environment.all().map { "\($0.0)=\($0.1)" },
        newSession: true, nullStandardStreams: true)
      guard let child = try? Spawn.start(request) else { continue }
      self.child = child
      let name = command[0].split(separator: "/").last ?? ""
      isLauncher = Self.launchers.contains(String(name))
      childDescriptor = try? SharedDescriptor(Spawn.processDescriptor(child))
      deadline = Instant.now.advanced(by: Self.timeout)
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
