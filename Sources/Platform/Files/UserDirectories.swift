internal import Glibc

/// This user's directories (XDG Base Directory Specification), from the environment or, without `HOME`, passwd(5).
package enum UserDirectories {
  /// Returns a variable's value, like ``Environment/value(_:)``.
  package typealias Variables = (String) -> String?

  /// A variable that names another user's directory.
  package struct ForeignDirectory: Hashable, Sendable {
    package let variable: String
    package let path: String
  }

  private static let directoryVariables = [
    "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
  ]

  /// For root, the first variable that names another user's directory, as after `su`. That user could not use root's
  /// files.
  package static var foreign: ForeignDirectory? { foreign(in: Environment.value, user: Machine.userID) }

  package static func foreign(in variables: Variables, user: UInt32) -> ForeignDirectory? {
    guard user == 0 else { return nil }
    for variable in directoryVariables {
      guard let path = absolute(variables(variable)), owner(near: path) != 0 else { continue }
      return ForeignDirectory(variable: variable, path: path)
    }
    return nil
  }

  private static func owner(near path: String) -> UInt32 {
    var rest = Substring(path)
    var status = stat()
    while unsafe stat(rest.isEmpty ? "/" : String(rest), &status) != 0 {
      guard let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) else { return 0 }
      rest = rest[..<slash]
    }
    return status.st_uid
  }

  /// `$XDG_CONFIG_HOME`, or else `$HOME/.config`.
  package static var configHome: String { get throws(SystemError) { try configHome(in: Environment.value) } }
  /// `$XDG_STATE_HOME`, or else `$HOME/.local/state`.
  package static var stateHome: String { get throws(SystemError) { try stateHome(in: Environment.value) } }
  /// `$XDG_CACHE_HOME`, or else `$HOME/.cache`.
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

  /// `$XDG_DATA_HOME`, or else `$HOME/.local/share`.
  package static func dataHome(in variables: Variables) throws(SystemError) -> String {
    try home("XDG_DATA_HOME", else: ".local/share", in: variables)
  }

  /// `$HOME`, or else the home in passwd(5), or else the root directory. Throws `ENOENT` if `HOME` is not an absolute
  /// path.
  package static func home(in variables: Variables) throws(SystemError) -> String {
    guard let named = variables("HOME"), !named.isEmpty else {
      return absolute(UserEntry.of(Machine.userID)?.home) ?? "/"
    }
    guard let home = absolute(named) else { throw SystemError(errno: ENOENT, operation: "HOME") }
    return home
  }

  /// The candidates for the daemon's socket directory, best first: `$XDG_RUNTIME_DIR/agent`, `/run/user/UID/agent`, and
  /// one in the state home, named after machine and boot.
  package static func runtimeCandidates() -> [String] { runtimeCandidates(in: Environment.value) }

  /// `$XDG_RUNTIME_DIR/agent`; nil if the variable is unset.
  package static var sessionRuntimeDirectory: String? {
    absolute(Environment.value("XDG_RUNTIME_DIR")).map { "\($0)\(runtimePart)" }
  }

  /// The socket's directory within a runtime directory.
  static var runtimePart: String { "/agent" }

  package static func runtimeCandidates(in variables: Variables) -> [String] {
    var candidates: [String] = []
    if let runtime = absolute(variables("XDG_RUNTIME_DIR")) { candidates.append("\(runtime)\(runtimePart)") }
    let standard = "/run/user/\(Machine.userID)"
    let isThere = unsafe access(standard, F_OK) == 0
    if isThere, candidates.first != "\(standard)\(runtimePart)" { candidates.append("\(standard)\(runtimePart)") }
    if let run = try? runHome(in: variables) {
      candidates.append("\(run)/\(machinePrefix ?? "")\(Machine.bootID() ?? "unknown")")
    }
    return candidates
  }

  /// The directories of earlier boots, in the state home.
  package static func pastRuntimeDirectories() -> [String] { pastRuntimeDirectories(in: Environment.value) }

  package static func pastRuntimeDirectories(in variables: Variables) -> [String] {
    guard let start = Machine.bootID(), let run = try? runHome(in: variables),
      let directory = try? PrivateDirectory(opening: run, create: false), let names = try? directory.fileNames()
    else { return [] }
    // Earlier versions used the host name.
    let hostPrefix = String(Machine.hostName().map { $0 == "/" ? "_" : $0 }) + "-"
    return names.filter { name in
      [Machine.identity().flatMap { _ in machinePrefix }, hostPrefix].compactMap { $0 }.contains { prefix in
        // Another host's name may begin with this one's.
        guard name.utf8.starts(with: prefix.utf8) else { return false }
        let id = name.utf8.dropFirst(prefix.utf8.count)
        return isBootID(id) && !id.elementsEqual(start.utf8)
      }
    }.map { "\(run)/\($0)" }
  }

  /// Contains the runtime directories of all boots.
  private static func runHome(in variables: Variables) throws(SystemError) -> String {
    try stateHome(in: variables) + "/agent/run"
  }

  /// Differs between machines that share a home, and between containers. Nil on a host without a machine ID.
  private static var machinePrefix: String? {
    // Containers have the boot ID of their host.
    let container = Machine.processNamespace.map { "\($0)-" }
    guard let id = Machine.identity() else { return container }
    // FNV-1a, because the ID itself is confidential.
    let hash = id.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16) + "-" + (container ?? "")
  }

  /// Such as `01234567-89ab-cdef-0123-456789abcdef`.
  private static func isBootID(_ text: Substring.UTF8View) -> Bool {
    text.count == 36
      && text.enumerated().allSatisfy { index, byte in
        switch byte {
        case UInt8(ascii: "-"): [8, 13, 18, 23].contains(index)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
      }
  }

  /// The variable `name`, or else `part` in the home directory.
  private static func home(_ name: String, else part: String, in variables: Variables) throws(SystemError) -> String {
    if let path = absolute(variables(name)) { return path }
    let home = try home(in: variables)
    return home == "/" ? "/\(part)" : "\(home)/\(part)"
  }

  /// Without trailing slashes. Nil if not absolute, or not UTF-8, since a repaired path leads elsewhere.
  private static func absolute(_ path: String?) -> String? {
    guard var path = path.map({ Substring($0) }), path.utf8.first == UInt8(ascii: "/"),
      !path.unicodeScalars.contains("\u{FFFD}")
    else { return nil }
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    return String(path)
  }
}
