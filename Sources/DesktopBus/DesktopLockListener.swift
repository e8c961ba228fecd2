internal import CSystemd
internal import Platform

/// Reports screen locks of the user's sessions, if a bus is available. Thread-safe.
package final class DesktopLockListener: Sendable {
  /// A sender of lock signals, each on its own bus.
  enum Source: Hashable, CaseIterable {
    /// logind, for `loginctl lock-session` and desktops that lock through it.
    case loginManager
    /// The desktop's own screen saver.
    case desktop

    private static let logind = "org.freedesktop.login1"
    private static let screenSaverInterfaces = [
      "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.cinnamon.ScreenSaver", "org.mate.ScreenSaver",
      "org.xfce.ScreenSaver",
    ]

    /// The D-Bus match rules for lock signals.
    var matchRules: [String] {
      switch self {
      case .loginManager: ["type='signal',sender='\(Self.logind)',interface='\(Self.logind).Session',member='Lock'"]
      case .desktop: Self.screenSaverInterfaces.map { "type='signal',interface='\($0)',member='ActiveChanged'" }
      }
    }

    /// Whether a session of the user is being locked. On the system bus, which any user can use, checks the sender.
    func isLockSignal(_ signal: MessageBus.Signal, _ bus: borrowing MessageBus, _ userID: UInt32) -> Bool {
      switch self {
      case .loginManager:
        guard signal.member == "Lock", signal.interface == "\(Self.logind).Session", let path = signal.path else {
          return false
        }
        return Self.user(ofSession: path) == userID && (try? bus.owner(of: Self.logind)) == signal.sender
      case .desktop:
        guard let interface = signal.interface else { return false }
        return signal.member == "ActiveChanged" && signal.firstFlag == true
          && Self.screenSaverInterfaces.contains(interface)
      }
    }

    private static func user(ofSession path: String) -> UInt32? {
      var user: UInt32 = 0
      return unsafe agent_session_user(path, &user) < 0 ? nil : user
    }
  }

  private let userID: UInt32
  private let report: @Sendable () -> Void
  private let activeSources = Monitor<Set<Source>>([])

  /// - Parameter report: Called for each lock signal, on a separate thread.
  package init(userID: UInt32, report: @escaping @Sendable () -> Void) {
    self.userID = userID
    self.report = report
  }

  /// Starts listening on each available bus.
  package func listen() {
    for source in Source.allCases where activeSources.withLock({ $0.insert(source).inserted }) {
      do throws(SystemError) {
        try Threads.start(name: "lock listener") { [self] in
          listen(to: source)
          _ = activeSources.withLock { $0.remove(source) }
        }
      } catch {
        _ = activeSources.withLock { $0.remove(source) }
      }
    }
  }

  /// Reconnects when the bus has disappeared, until that fails.
  private func listen(to source: Source) {
    while (try? listenUntilBusCloses(source)) != nil { Threads.sleep(for: .seconds(1)) }
  }

  private func listenUntilBusCloses(_ source: Source) throws(SystemError) {
    let bus = try MessageBus(source == .loginManager ? .system : .user)
    for rule in source.matchRules { try bus.addMatch(rule) }
    // The bus's end is not an error.
    while let signal = try? bus.nextSignal() {
      if source.isLockSignal(signal, bus, userID) { report() }
    }
  }
}
