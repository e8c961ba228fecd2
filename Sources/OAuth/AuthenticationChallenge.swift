internal import Encoding

/// One challenge of a `WWW-Authenticate` field: a scheme with its parameters (RFC 9110 section 11.6.1).
package struct AuthenticationChallenge: Sendable, Hashable {
  /// More challenges or parameters than these are not read.
  private static let mostChallenges = 16
  private static let mostParameters = 32

  /// As written; schemes are compared without regard to case.
  package let scheme: String
  /// The names in lower case. A parameter that comes twice counts as it came first.
  package private(set) var parameters: [String: String] = [:]

  package func hasScheme(_ name: String) -> Bool { scheme.lowercased().utf8.elementsEqual(name.lowercased().utf8) }

  /// The challenges of a response, in order. What cannot be read ends a field, and what was read before it
  /// counts.
  package static func challenges(in headers: HTTPHeaders) -> [AuthenticationChallenge] {
    var found: [AuthenticationChallenge] = []
    for value in headers.values(of: "WWW-Authenticate") {
      var reader = Reader(value)
      reader.read(into: &found)
    }
    return found
  }

  /// Reads one field. The list of challenges and the parameters inside one share the comma, so each word
  /// is a scheme unless "=" follows it.
  private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func read(into found: inout [AuthenticationChallenge]) {
      while true {
        skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
        guard let word = token(), found.count < AuthenticationChallenge.mostChallenges else { return }
        skipBlanks()
        guard rest.first == UInt8(ascii: "=") else {
          found.append(AuthenticationChallenge(scheme: word))
          skipToken68()
          continue
        }
        rest.removeFirst()
        skipBlanks()
        guard let value = rest.first == UInt8(ascii: "\"") ? quoted() : token(), !found.isEmpty else { return }
        let name = word.lowercased()
        if found[found.count - 1].parameters.count < AuthenticationChallenge.mostParameters,
          found[found.count - 1].parameters[name] == nil
        {
          found[found.count - 1].parameters[name] = value
        }
      }
    }

    private mutating func skip(while matches: (UInt8) -> Bool) {
      rest = rest.drop(while: matches)
    }

    private mutating func skipBlanks() { skip { $0 == 0x20 || $0 == 0x09 } }

    /// A challenge may have one value in place of parameters, such as a Negotiate token.
    private mutating func skipToken68() {
      let end = rest.firstIndex { !Self.isToken68($0) } ?? rest.endIndex
      let after = rest[end...].drop { $0 == UInt8(ascii: "=") }.drop { $0 == 0x20 || $0 == 0x09 }
      if after.isEmpty || after.first == UInt8(ascii: ",") { rest = after }
    }

    private mutating func token() -> String? {
      let word = rest.prefix(while: Self.isTokenByte)
      guard !word.isEmpty else { return nil }
      rest = rest[word.endIndex...]
      return String(Substring(word))
    }

    /// RFC 9110 section 5.6.4.
    private mutating func quoted() -> String? {
      rest.removeFirst()
      var bytes: [UInt8] = []
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let escaped = rest.popFirst() else { return nil }
          bytes.append(escaped)
        default: bytes.append(byte)
        }
      }
      return nil
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }

    private static func isToken68(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "-._~+/".utf8.contains(byte)
      }
    }
  }
}
