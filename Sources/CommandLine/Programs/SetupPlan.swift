internal import Encoding
internal import Wire

/// The change to one file that sets up a client.
struct SetupPlan: Sendable {
  enum Change: Sendable {
    case none
    /// Adds a JSON member with the names on its path and its value.
    case member([String], JSON)
    /// Adds the lines that this function inserts.
    case lines(@Sendable (ConfigurationText) throws(Failure) -> Insertion)
  }

  var file: SetupFile?
  /// The lines to show to the user.
  var text: [String]
  var change = Change.none
  /// Unindented lines that identify the addition. A key ending with `; ` also matches the start of a line.
  var keys: [String] = []
  /// The name of the entry, if the client supports several for an origin.
  var entry: String?
  var notes: [Phrase] = []
  /// Returns whether the client asks this program first. Nil if the file's content decides.
  var isAsked: (@Sendable () -> Bool)?

  /// Whether this plan would make `addition`.
  func isSame(as addition: SetupAddition) -> Bool {
    switch (addition, change) {
    case (.member(let path, let value, _), .member(let wanted, let wantedValue)):
      path == wanted && value == wantedValue
    case (.text, .lines):
      addition.addedLines.contains { line in
        let words = line.utf8.drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        return keys.contains { $0.utf8.elementsEqual(words) }
      }
    default: false
    }
  }

  /// Whether `bytes`, the content of `path`, contains the addition.
  func isIn(_ bytes: [UInt8], of path: String) throws(Failure) -> Bool {
    if case .member = change { return try insertion(in: bytes, of: path) == .present }
    let text = ConfigurationText(bytes)
    return text.lines.indices.contains { line in
      let words = text.trimmedLine(line).utf8
      return keys.contains { $0.utf8.elementsEqual(words) || ($0.hasSuffix("; ") && words.starts(with: $0.utf8)) }
    }
  }

  /// Adds to `bytes`, the content of `path`; nil for a new file.
  func insertion(in bytes: [UInt8]?, of path: String) throws(Failure) -> Insertion {
    if let bytes, !bytes.isText {
      throw Failure(.invalidConfiguration, "\(path) was not changed: it is not UTF-8 text")
    }
    switch change {
    case .none: return .refused
    case .lines(let added): return try added(ConfigurationText(bytes ?? []))
    case .member(let names, let value):
      do {
        return try Insertion.member(names, value, in: bytes ?? JSONMembers.empty)
      } catch {
        if [.tooLarge, .tooDeep, .tooManyElements].contains(error.code) {
          throw Failure(.invalidConfiguration, "\(path) was not changed: it is too complex for setup")
        }
        throw Failure(
          .invalidConfiguration,
          "\(path) was not changed: it is not JSON (RFC 8259, without comments; byte \(error.offset))")
      }
    }
  }
}

extension [UInt8] {
  /// UTF-8 without byte order mark and NUL.
  fileprivate var isText: Bool {
    !starts(with: [0xEF, 0xBB, 0xBF]) && !contains(0) && String(validating: self, as: UTF8.self) != nil
  }
}

extension SetupPlan {
  init(file: SetupFile, member path: [String], _ value: JSON) {
    self.init(
      file: file, text: SetupAddition.member(path: path, value: value, addedObjects: 0).addedLines,
      change: .member(path, value)
    )
  }
}
