internal import Glibc

/// Where this user's files go, by the XDG Base Directory Specification.
///
/// Only the environment is asked. The user database is not: reading it loads libraries at run time,
/// which a static program cannot do.
package enum UserDirectories {
  /// Looks a variable up, as ``Environment/value(_:)`` does.
  package typealias Variables = (String) -> String?

  /// `$XDG_CONFIG_HOME`, else `$HOME/.config`.
  package static var configHome: String { get throws(SystemError) { try configHome(in: Environment.value) } }
  /// `$XDG_STATE_HOME`, else `$HOME/.local/state`.
  package static var stateHome: String { get throws(SystemError) { try stateHome(in: Environment.value) } }
  /// `$XDG_CACHE_HOME`, else `$HOME/.cache`.
  package static var cacheHome: String { get throws(SystemError) { try cacheHome(in: Environment.value) } }

  package static func configHome(in variables: Variables) throws(SystemError) -> String {
    try home("XDG_CONFIG_HOME", else: ".config", in: variables)
  }

  package static func stateHome(in variables: Variables) throws(SystemError) -> String {
    try home("XDG_STATE_HOME", else: ".local/state", in: variables)
  }

  package static func cacheHome(in variables: Variables) throws(SystemError) -> String {
    try home("XDG_CACHE_HOME", else: ".cache", in: variables)
  }

  /// The directories that may hold the socket, best first: `$XDG_RUNTIME_DIR/agent`,
  /// `/run/user/UID/agent`, and for cron, su and containers a directory below the state home whose
  /// name changes with the host and with each start of it. Never one that others can write to.
  package static func runtimeCandidates() -> [String] { runtimeCandidates(in: Environment.value) }

  /// The directory in `XDG_RUNTIME_DIR`, the first of ``runtimeCandidates()``; nil when it is not set.
  package static var sessionRuntimeDirectory: String? {
    absolute(Environment.value("XDG_RUNTIME_DIR")).map { "\($0)/agent" }
  }

  package static func runtimeCandidates(in variables: Variables) -> [String] {
    var candidates: [String] = []
    if let runtime = absolute(variables("XDG_RUNTIME_DIR")) { candidates.append("\(runtime)/agent") }
    let standard = "/run/user/\(Machine.userID)"
    let isThere = unsafe access(standard, F_OK) == 0
    if isThere, candidates.first != "\(standard)/agent" { candidates.append("\(standard)/agent") }
    if let state = try? stateHome(in: variables) {
      // A home directory may be shared by hosts, and it outlives their restarts; sockets do not.
      let host = String(Machine.hostName().map { $0 == "/" ? "_" : $0 })
      candidates.append("\(state)/agent/run/\(host)-\(Machine.bootID() ?? "unknown")")
    }
    return candidates
  }

  private static func home(_ name: String, else part: String, in variables: Variables) throws(SystemError) -> String {
    if let path = absolute(variables(name)) { return path }
    guard let home = absolute(variables("HOME")) else { throw SystemError(errno: ENOENT, operation: "HOME") }
    return home == "/" ? "/\(part)" : "\(home)/\(part)"
  }

  /// "All paths set in these environment variables must be absolute"; others are to be ignored.
  private static func absolute(_ path: String?) -> String? {
    guard var path = path.map({ Substring($0) }), path.utf8.first == UInt8(ascii: "/") else { return nil }
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return String(path)
  }
}
