internal import CSystemd
internal import Platform

/// Receives the signals of the desktop and the login manager that the screen of one of the user's sessions is being locked.
///
/// Without a bus no signal comes, which is no error. Any thread may use it.
package final class DesktopLockListener: Sendable {
  /// The sender of a signal, each on a bus of its own.
  enum Source: Hashable, CaseIterable {
    /// logind, for `loginctl lock-session` and for desktops that lock by way of it.
    case loginManager
    /// The desktop's own screen saver.
    case desktop
  }

  private let userID: UInt32
  private let tell: @Sendable () -> Void
  private let listening = Monitor<Set<Source>>([])

  /// - Parameters:
  ///   - userID: Whose sessions count.
  ///   - tell: Is called for each signal to lock, on a thread of its own.
  package init(userID: UInt32, tell: @escaping @Sendable () -> Void) {
    self.userID = userID
    self.tell = tell
  }

  /// Begins to listen on each bus that there is and that is not listened to yet, until that bus goes away. Returns at once.
  package func listen() {
    for source in Source.allCases where listening.withLock({ $0.insert(source).inserted }) {
      do throws(SystemError) {
        try Threads.start(name: "lock listener") { [self] in
          receive(source)
          _ = listening.withLock { $0.remove(source) }
        }
      } catch {
        _ = listening.withLock { $0.remove(source) }
      }
    }
  }

  /// For as long as the bus is there. One that went away is connected to again, until that fails.
  private func receive(_ source: Source) {
    while (try? receiveOnce(source)) != nil { Threads.sleep(for: .seconds(1)) }
  }

  /// - Throws: When the bus cannot be listened to; returns when it went away later.
  private func receiveOnce(_ source: Source) throws(SystemError) {
    let bus = try MessageBus(source == .loginManager ? .system : .user)
    for rule in source.rules { try bus.match(rule) }
    // A bus that ends is no error: it is what ends this.
    while let signal = try? bus.nextSignal() {
      if source.isLockSignal(signal, bus, userID) { tell() }
    }
  }
}

extension DesktopLockListener.Source {
  private static let logind = "org.freedesktop.login1"
  private static let savers = [
    "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.cinnamon.ScreenSaver", "org.mate.ScreenSaver",
    "org.xfce.ScreenSaver",
  ]

  /// The match rules that the bus is asked to apply.
  var rules: [String] {
    switch self {
    case .loginManager: ["type='signal',sender='\(Self.logind)',interface='\(Self.logind).Session',member='Lock'"]
    case .desktop: Self.savers.map { "type='signal',interface='\($0)',member='ActiveChanged'" }
    }
  }

  /// Whether a signal says that a session of the user is being locked. Any user of the machine may send any signal to us
  /// alone, so its content is checked again, and on the system's bus, which other users are on too, its sender. A program of
  /// the user may pretend to be the screen saver: it could lock all the same.
  func isLockSignal(_ signal: MessageBus.Signal, _ bus: borrowing MessageBus, _ userID: UInt32) -> Bool {
    switch self {
    case .loginManager:
      guard signal.member == "Lock", signal.interface == "\(Self.logind).Session", let path = signal.path else {
        return false
      }
      return Self.user(ofSession: path) == userID && (try? bus.owner(of: Self.logind)) == signal.sender
    case .desktop:
      guard let interface = signal.interface else { return false }
      return signal.member == "ActiveChanged" && signal.flag == true && Self.savers.contains(interface)
    }
  }

  private static func user(ofSession path: String) -> UInt32? {
    var user: UInt32 = 0
    return unsafe agent_session_user(path, &user) < 0 ? nil : user
  }
}
