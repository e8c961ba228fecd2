internal import Encoding

/// The default accounts of directories and their subdirectories. In the settings, since others may write to the
/// directories. Paths are compared as text.
package struct AccountDirectories: Sendable, Hashable {
  package struct Entry: Sendable, Hashable {
    package let path: DirectoryPath
    package let account: AccountName
  }

  package private(set) var entries: [Entry] = []

  private static let memberName = "directories"

  init() {}

  init(_ json: JSON) throws(ConfigurationError) {
    guard let object = json.object else { throw ConfigurationError(.invalid, Self.memberName) }
    for name in object.names {
      guard let path = DirectoryPath(name), let account = object[name]?.string.flatMap({ try? AccountName($0) }) else {
        throw ConfigurationError(.invalid, Self.memberName)
      }
      set(account, for: path)
    }
  }

  var json: JSON { .object(JSONObject(entries.map { ($0.path.text, .string($0.account.text)) })) }

  package var isEmpty: Bool { entries.isEmpty }

  /// The entry of the nearest directory that contains `path`, if any.
  package func nearest(to path: DirectoryPath) -> Entry? {
    entries.filter { $0.path.contains(path) }.max { $0.path.text.utf8.count < $1.path.text.utf8.count }
  }

  package func paths(of account: AccountName) -> [String] {
    entries.filter { $0.account == account }.map(\.path.text)
  }

  /// Removes the entry if `account` is nil.
  mutating func set(_ account: AccountName?, for path: DirectoryPath) {
    let index = entries.firstIndex { $0.path == path }
    if let index { entries.remove(at: index) }
    if let account { entries.insert(Entry(path: path, account: account), at: index ?? entries.endIndex) }
  }

  mutating func rename(_ old: AccountName, to new: AccountName) {
    entries = entries.map { $0.account == old ? Entry(path: $0.path, account: new) : $0 }
  }

  mutating func remove(_ account: AccountName) { entries.removeAll { $0.account == account } }
}

/// An absolute path without empty components, `.` or `..`.
package struct DirectoryPath: Sendable, Hashable {
  package let text: String

  /// PATH_MAX.
  private static let maximumBytes = 4096

  /// Ignores repeated and trailing slashes. Nil for a relative path or `..`, whose meaning depends on links.
  package init?(_ text: String) {
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= Self.maximumBytes, !text.utf8.contains(0) else {
      return nil
    }
    let components = text.split(separator: "/").filter { $0 != "." }
    guard !components.contains(where: { $0 == ".." }) else { return nil }
    self.text = "/" + components.joined(separator: "/")
  }

  package static func == (one: DirectoryPath, other: DirectoryPath) -> Bool {
    one.text.hasSameBytes(as: other.text)
  }

  package func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }

  /// Whether `other` is this directory or inside it.
  func contains(_ other: DirectoryPath) -> Bool {
    let (own, rest) = (text.utf8, other.text.utf8)
    guard rest.starts(with: own) else { return false }
    return own.count == 1 || own.count == rest.count || rest.dropFirst(own.count).first == UInt8(ascii: "/")
  }
}
