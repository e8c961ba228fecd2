internal import Encoding

/// A challenge in `WWW-Authenticate` (RFC 9110 section 11.6.1).
package struct Challenge: Sendable, Hashable {
  /// In lowercase.
  package let scheme: String
  /// With lowercase names. The first of duplicates is used.
  private let parameters: [Parameter]

  private struct Parameter: Sendable, Hashable {
    let name: String
    let value: String
  }

  private static let maximumChallenges = 8
  private static let maximumParameters = 32

  /// A parameter's value, by lowercase name.
  package subscript(name: String) -> String? {
    parameters.first { $0.name.hasSameBytes(as: name) }?.value
  }

  /// Parses challenges, up to the first malformed one.
  package static func all(in headers: HTTPHeaders) -> [Challenge] {
    var challenges: [Challenge] = []
    for value in headers.values(of: "WWW-Authenticate") {
      var reader = ChallengeReader(value)
      while challenges.count < maximumChallenges, let challenge = reader.next() { challenges.append(challenge) }
    }
    return challenges
  }

  fileprivate init(scheme: String, parameters: [(String, String)]) {
    self.scheme = scheme
    self.parameters = parameters.prefix(Self.maximumParameters).map { Parameter(name: $0.0, value: $0.1) }
  }
}

/// Skips empty list elements (RFC 9110 section 5.6.1.2).
private struct ChallengeReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ value: String) { bytes = Array(value.utf8) }

  mutating func next() -> Challenge? {
    skipSeparators()
    guard let scheme = token() else { return nil }
    skipBlanks()
    var parameters: [(String, String)] = []
    while let parameter = parameter() {
      parameters.append(parameter)
      // Another word is the next challenge's scheme.
      skipSeparators()
    }
    if parameters.isEmpty { skipToken68() }
    return Challenge(scheme: scheme.lowercased(), parameters: parameters)
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, byte == 0x20 || byte == 0x09 { position += 1 }
  }

  private mutating func skipSeparators() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") { position += 1 }
  }

  /// Reads a token (RFC 9110 section 5.6.2).
  private mutating func token() -> String? {
    let start = position
    while let byte = current, byte.isTokenCharacter { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// Reads `name = value`. A token68 (RFC 9110 section 11.2) may end in `=`.
  private mutating func parameter() -> (String, String)? {
    let start = position
    if let name = token() {
      skipBlanks()
      if current == UInt8(ascii: "=") {
        position += 1
        skipBlanks()
        if let value = current == UInt8(ascii: "\"") ? quoted() : unquoted() { return (name.lowercased(), value) }
      }
    }
    position = start
    return nil
  }

  /// Reads up to whitespace or comma. Nil for a leading "=", which ends a token68.
  private mutating func unquoted() -> String? {
    let start = position
    guard current != UInt8(ascii: "=") else { return nil }
    while let byte = current, byte > 0x20, byte != UInt8(ascii: ",") { position += 1 }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  private mutating func quoted() -> String? {
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let escaped = current else { return nil }
      text.append(escaped)
      position += 1
    }
    return nil
  }

  /// See RFC 9110 section 11.2.
  private mutating func skipToken68() {
    while let byte = current, byte != UInt8(ascii: ","), byte != 0x20 { position += 1 }
  }
}
