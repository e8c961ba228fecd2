/// A user in passwd(5), not of a directory service, whose library a static program cannot load.
package struct UserEntry: Sendable, Hashable {
  package let name: String
  package let home: String

  private static let maximumBytes = 1 << 20

  /// The entry in `root`/etc/passwd, if any.
  package static func of(_ user: UInt32, root: String = "") -> UserEntry? {
    (try? FileDescriptor.content(of: "\(root)/etc/passwd", limit: maximumBytes)).flatMap { of(user, in: $0) }
  }

  static func of(_ user: UInt32, in bytes: [UInt8]) -> UserEntry? {
    let number = Array("\(user)".utf8)
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      guard fields.count >= 6, !fields[0].isEmpty, fields[2].elementsEqual(number) else { continue }
      return UserEntry(
        name: String(decoding: fields[0], as: UTF8.self), home: String(decoding: fields[5], as: UTF8.self))
    }
    return nil
  }
}
