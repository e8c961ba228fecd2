internal import Encoding
internal import Wire

/// Python's keyring command, for pip and uv: `get SERVICE [USER]`. The next `keyring` on `PATH` handles other calls.
enum KeyringHelper {
  static let helper = HelperProtocol(
    failureOutput: { failure, _, _ in
      HelperFailureOutput(
        status: 1, nextProgram: failure.code == .originNotListed ? HelperProtocolName.keyringProgram : nil)
    },
    request: { (call) throws(Failure) in
      guard let request = Request(call.arguments) else { return .nextProgram(HelperProtocolName.keyringProgram) }
      let asked = call.user ?? request.user
      let destination = TokenRequest.Destination(url: request.service, user: asked)
      return .token(destination) { (credential, token, text) throws(Failure) in
        let user = try credential.user(requested: asked)
        switch (request.isJSON, request.wantsUser) {
        case (true, _):
          text.append(utf8: "{")
          if request.wantsUser {
            text.append(utf8: "\"username\":")
            text.append(jsonString: user)
            text.append(utf8: ",")
          }
          text.append(utf8: "\"password\":")
          text.append(jsonStringBytes: token)
          text.append(utf8: "}")
        case (false, true):
          text.append(utf8: user + "\n")
          text.append(contentsOf: token)
        case (false, false): text.append(contentsOf: token)
        }
        text.append(utf8: "\n")
      }
    })

  private struct Request: Sendable {
    let service: String
    let user: String?
    var wantsUser = false
    var isJSON = false

    /// Nil if another program must handle the arguments.
    init?(_ arguments: [String]) {
      var words: [String] = []
      var rest = arguments[...]
      while let word = rest.popFirst() {
        switch word {
        case "--mode=creds": wantsUser = true
        case "--mode=password", "--output=plain": break
        case "--output=json": isJSON = true
        case "--mode", "--output":
          switch rest.popFirst() {
          case "creds" where word == "--mode": wantsUser = true
          case "password" where word == "--mode": break
          case "json" where word == "--output": isJSON = true
          case "plain" where word == "--output": break
          default: return nil
          }
        default:
          if word.utf8.first == UInt8(ascii: "-") { return nil }
          words.append(word)
        }
      }
      guard words.first == "get", (2...3).contains(words.count), words.count == 3 || wantsUser else { return nil }
      let (destination, name) = Self.withoutUser(words[1])
      service = destination
      user = words.count == 3 ? words[2] : name
    }

    /// Splits off the URL's user name, unless the URL has a backslash, where some programs end the host.
    private static func withoutUser(_ service: String) -> (service: String, user: String?) {
      let bytes = Array(service.utf8)
      let start = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 } ?? 0
      let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
      guard let mark = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")), !bytes.contains(UInt8(ascii: "\\")) else {
        return (service, nil)
      }
      let user = bytes[start..<mark].prefix { $0 != UInt8(ascii: ":") }
      let rest = String(decoding: bytes[..<start] + bytes[(mark + 1)...], as: UTF8.self)
      return (rest, user.isEmpty ? nil : String(decoding: user, as: UTF8.self))
    }
  }
}
