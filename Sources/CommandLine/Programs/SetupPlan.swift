internal import Encoding
internal import Wire

/// The change to one file that makes a client get its tokens from this program.
struct SetupPlan: Sendable {
  enum Change: Sendable {
    /// Only prints ``SetupPlan/text``.
    case none
    /// Adds a JSON member: the names on its path, and its value.
    case member([String], JSON)
    /// A function that adds lines to the file.
    case lines(@Sendable (ConfigurationText) throws(Failure) -> Insertion)
  }

  /// The file to change, if any.
  var file: SetupFile?
  /// The lines to print.
  var text: [String]
  var change = Change.none
  /// Lines that identify the addition, without indentation. A key ending with `; ` also matches the start of a line.
  var keys: [String] = []
  /// The name of the client's entry, if the client supports several for an origin.
  var entry: String?
  var notes: [Phrase] = []
  /// Returns whether the client would ask this program first. Nil if the file's content decides.
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

  /// Whether the content of `path` contains the addition.
  func isIn(_ bytes: [UInt8], of path: String) throws(Failure) -> Bool {
    if case .member = change { return try insertion(in: bytes, of: path) == .present }
    let text = ConfigurationText(bytes)
    return text.lines.indices.contains { line in
      let words = text.trimmedLine(line).utf8
      return keys.contains { $0.utf8.elementsEqual(words) || ($0.hasSuffix("; ") && words.starts(with: $0.utf8)) }
    }
  }

  /// Makes the addition to the content of `path`. For a new file, `bytes` is nil.
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
  /// Whether the bytes are UTF-8 without byte order mark and NUL.
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
