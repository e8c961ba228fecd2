internal import Platform
internal import Wire

/// How `agentd` was started: by a client with `--directory DIR --socket-name NAME --ready-fd N`, for one client with
/// `--connection-fd N`, with `--foreground`, or by a service manager with `LISTEN_FDS=1`.
struct DaemonInvocation {
  private enum Mode {
    /// A new socket in the directory.
    case directory(path: String, socketName: String)
    /// One client's connection.
    case connection(Int32)
    /// A socket from a service manager.
    case inherited
    /// The default socket, in the foreground.
    case foreground
  }

  struct Problem: Error, Hashable { let message: String }

  /// Whether the user or a service manager reads standard error.
  let isForeground: Bool

  /// Whether a client started this daemon, to serve all clients.
  var isStartedByClient: Bool { if case .directory = mode { true } else { false } }

  private let mode: Mode
  /// Reports to the starting program that the socket is open.
  private let readyDescriptor: Int32?

  /// A service manager's first socket.
  private static let firstInherited: Int32 = 3

  init(_ arguments: [String], environment: [(String, String)]) throws(Problem) {
    var values: [String: String] = [:]
    var isForeground = false
    var rest = arguments.dropFirst()
    while let option = rest.popFirst() {
      switch option {
      case "--foreground": isForeground = true
      case "--directory", "--socket-name", "--ready-fd", "--connection-fd":
        guard let value = rest.popFirst() else { throw Problem(message: "\(option) needs a value") }
        values[option] = value
      default:
        throw Problem(message: "agentd is started by agent; to run it in the foreground: agentd --foreground")
      }
    }
    self.isForeground = isForeground
    readyDescriptor = try Self.descriptor(values["--ready-fd"])
    if let connection = try Self.descriptor(values["--connection-fd"]) {
      mode = .connection(connection)
    } else if let path = values["--directory"] {
      mode = .directory(path: path, socketName: values["--socket-name"] ?? WireProtocol.socketName)
    } else if Self.isActivated(environment) {
      mode = .inherited
    } else if isForeground {
      mode = .foreground
    } else {
      throw Problem(message: "agentd is started by agent; to run it in the foreground: agentd --foreground")
    }
  }

  private static func descriptor(_ text: String?) throws(Problem) -> Int32? {
    guard let text else { return nil }
    guard let number = Int32(text), (0...65_535).contains(number) else {
      throw Problem(message: "a descriptor must be a number")
    }
    return number
  }

  /// Whether a service manager passed a socket (sd_listen_fds(3)).
  private static func isActivated(_ environment: [(String, String)]) -> Bool {
    func value(_ name: String) -> String? { environment.first { $0.0 == name }?.1 }
    return value("LISTEN_FDS") == "1" && value("LISTEN_PID") == String(Machine.processID)
  }

  /// `ready` becomes the descriptor that notifies the starting program.
  func open(ready: inout FileDescriptor?) throws -> Server.ServedSocket {
    if let readyDescriptor { ready = FileDescriptor(owning: readyDescriptor) }
    switch mode {
    case .connection(let raw):
      let descriptor = FileDescriptor(owning: raw)
      guard try UnixSocket.peerUserID(descriptor) == Machine.userID else {
        throw Problem(message: "the peer is another user")
      }
      return .connection(descriptor)
    case .directory(let path, let socketName):
      return .listening(
        try ListeningSocket.bind(try PrivateDirectory(opening: path, create: true), socketName))
    case .foreground:
      return .listening(
        try ListeningSocket.bind(try Self.runtimeDirectory(), WireProtocol.socketName))
    case .inherited:
      return .listening(
        try ListeningSocket.inherit(
          FileDescriptor(owning: Self.firstInherited), try Self.runtimeDirectory(), WireProtocol.socketName))
    }
  }

  private static func runtimeDirectory() throws -> PrivateDirectory {
    try PrivateDirectory.opening(firstOf: UserDirectories.runtimeCandidates())
  }
}
