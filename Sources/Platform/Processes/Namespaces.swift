/// This process's network and mount namespaces (`namespaces(7)`).
package enum Namespaces {
  private enum Kind: String, CaseIterable {
    case network = "net"
    case mounts = "mnt"

    /// Such as `net:[4026531840]`; nil without /proc.
    var own: String? { LinkWalk.target(of: "/proc/self/ns/\(rawValue)") }

    /// Whether process 1 has another namespace. False if unknown.
    var isPrivate: Bool {
      // The links in /proc/1/ns need privileges.
      switch self {
      case .network: Namespaces.pair({ FileStatus(at: $0)?.inode }, "net/dev").map { $0.own != $0.first } ?? false
      case .mounts: Namespaces.pair(Namespaces.firstMount, "mountinfo").map { $0.own != $0.first } ?? false
      }
    }
  }

  private static let privateNames: [String] = Kind.allCases.filter(\.isPrivate).compactMap(\.own)

  /// Whether this process's network or mount namespace is private.
  package static var arePrivate: Bool { !privateNames.isEmpty }

  /// Reads a property of this process and process 1 from a file in `/proc/PID`. Nil if either is unknown.
  private static func pair<Value>(_ read: (String) -> Value?, _ name: String) -> (own: Value, first: Value)? {
    guard let own = read("/proc/self/\(name)"), let first = read("/proc/1/\(name)") else { return nil }
    return (own, first)
  }

  /// The first mount's number in `mountinfo`, unique to a namespace.
  private static func firstMount(_ path: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    guard let file = try? FileDescriptor(opening: path, for: .reading),
      (try? file.read(into: &bytes, upTo: 32)) ?? 0 > 0
    else { return nil }
    return Array(bytes.prefix { $0 != UInt8(ascii: " ") })
  }

  // MARK: The file next to a daemon's socket

  /// A file with a daemon's namespaces, if they are private.
  package static let fileName = "namespaces"

  /// Writes the file, or removes an earlier one if no namespace is private.
  package static func writeFile(in directory: borrowing PrivateDirectory) throws(SystemError) {
    if arePrivate {
      try directory.replaceFile(fileName, with: Array(privateNames.joined(separator: " ").utf8).span, isDurable: false)
    } else if directory.exists(fileName) {
      try directory.removeFile(fileName, isDurable: false)
    }
  }

  /// Whether the daemon with this directory is in a private namespace and this process is not. False in a sandbox,
  /// which got the socket deliberately.
  package static func areOutside(of directory: borrowing PrivateDirectory) -> Bool {
    guard directory.exists(fileName), let text = try? directory.readFile(fileName, limit: 256) else { return false }
    let names = text.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    return Kind.allCases.contains { kind in
      guard let own = kind.own, let name = names.first(where: { $0.utf8.starts(with: "\(kind.rawValue):".utf8) })
      else { return false }
      return !own.utf8.elementsEqual(name.utf8) && !kind.isPrivate
    }
  }
}
