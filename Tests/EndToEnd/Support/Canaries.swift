import Encoding
import Platform
import TestSupport
import Testing

/// Secrets known to the test, and the search for them in all that programs print and leave behind.
struct Canaries: Sendable {
  // They contain characters that every encoding changes.
  let access = "cnry+acc/4bVtq1Gk3~==A7wq"
  let refresh = "cnry+ref/9sLw2cRj6~==B8xm"
  let clientSecret = "cnry+sec/7hZ0pXyU5~==C9zn"
  let device = "cnry+dev/3nTf8vQe2~==D4ko"
  let introspection = "cnry+int/6mYg5dWs1~==E5lp"
  let code = "cnry+cod/2jRb7kUa4~==F6ht"
  let userCode = "CNRY-7K3Q"
  let idToken: String

  var named: [(name: String, value: String)] {
    [
      ("access token", access), ("refresh token", refresh), ("client secret", clientSecret), ("device code", device),
      ("introspection answer", introspection), ("authorization code", code), ("user code", userCode),
      ("ID Token", idToken),
    ]
  }

  /// All secrets except the user code, which a sign-in may show.
  var values: [String] { named.map(\.value).filter { $0 != userCode } }

  /// The secrets as servers may encode them.
  var spellings: [String] { Self.spellings(of: values) }

  static func spellings(of values: [String]) -> [String] {
    values.flatMap { [$0, percentEncoded($0), Base64.encode(Array($0.utf8)), Base64URL.encode(Array($0.utf8))] }
  }

  /// The names of the secrets in a text, in any encoding.
  func found(in text: String) -> Set<String> {
    Set(named.filter { _, value in Self.forms(of: value).contains { text.contains($0) } }.map(\.name))
  }

  func expectNone(
    in text: String, _ place: String, but allowed: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let leaked = found(in: text).subtracting(allowed)
    #expect(leaked.isEmpty, "\(place): \(text)", sourceLocation: sourceLocation)
  }

  func expectNone(inFilesOf tree: AgentTree, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let forms = named.flatMap { Self.forms(of: $0.value) }
    #expect(try tree.files(containing: forms) == [], sourceLocation: sourceLocation)
  }

  /// Searches the kernel's files about a process.
  func expectNone(ofProcess process: Int32, sourceLocation: SourceLocation = #_sourceLocation) {
    for file in ["cmdline", "environ", "comm", "status"] {
      // A file that this user cannot read is unreadable for others too.
      let text = ProcessFiles.text(file, of: process) ?? ""
      expectNone(in: text, "/proc/\(process)/\(file)", sourceLocation: sourceLocation)
    }
  }

  // MARK: Forms

  /// All encodings that reveal a value: verbatim, JSON, percent-encoding, and base64 at any offset in a longer text.
  static func forms(of value: String) -> [String] {
    [value, value.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "\\/")]
      + [percentEncoded(value), percentEncoded(value, inUpperCase: false), formEncoded(value)]
      + (0..<3).flatMap { base64Cores(of: value, behind: $0) }
  }

  static func percentEncoded(_ value: String, inUpperCase: Bool = true) -> String {
    value.utf8.map { byte in
      let character = Character(UnicodeScalar(byte))
      let isPlain = character.isLetter || character.isNumber || "-._~".contains(character)
      return isPlain
        ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: inUpperCase)
    }.joined()
  }

  private static func formEncoded(_ value: String) -> String {
    var bytes: [UInt8] = []
    Form.appendEncoded(Array(value.utf8).span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The base64 characters that depend only on the value.
  private static func base64Cores(of value: String, behind count: Int) -> [String] {
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: count) + value.utf8
    return [Base64.encode(bytes), Base64URL.encode(bytes)].map { text in
      String(text.prefix(bytes.count * 8 / 6).dropFirst((count * 8 + 5) / 6))
    }
  }
}
