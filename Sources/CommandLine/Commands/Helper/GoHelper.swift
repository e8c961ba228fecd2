internal import Encoding
internal import Wire

/// A `GOAUTH` command, which go runs first without arguments, later with a URL and the server's response. Prints URLs,
/// an empty line, header lines and an empty line.
enum GoHelper {
  static let helper = HelperProtocol(
    input: { $0.isEmpty ? .nothing : .everything },
    failureOutput: { failure, _, _ in
      failure.code == .originNotListed ? HelperFailureOutput(isSilent: true, status: 0) : HelperFailureOutput()
    },
    request: { (call) throws(Failure) in
      let isAnswer = !call.arguments.isEmpty
      let write: HelperRequest.Writer = { (credential, token, text) throws(Failure) in
        try append(credential, token, for: call.user, to: &text)
      }
      guard let url = call.arguments.first ?? call.url else { return .tokens(write) }
      return .token(
        TokenRequest.Destination(url: url, user: call.user, isRefused: isAnswer && isUnauthorized(call.input)), write)
    })

  /// Writes URL and header line, or nothing if the URL is not https. `asked` is the user name for Basic authentication.
  private static func append(
    _ credential: HelperCredential, _ token: Span<UInt8>, for asked: String?, to text: inout SecretText
  ) throws(Failure) {
    guard let url = credential.listedURL, url.hasPrefix("https://") else { return }
    text.append(utf8: url + "\n\n")
    try credential.appendHeaderLine(token, for: asked, to: &text)
    text.append(utf8: "\n")
  }

  private static func isUnauthorized(_ answer: [UInt8]) -> Bool {
    let line = answer.prefix { $0 != UInt8(ascii: "\n") }
    let words = line.split(separator: UInt8(ascii: " "))
    return words.count > 1 && words[0].starts(with: "HTTP/".utf8) && words[1].prefix(3).elementsEqual("401".utf8)
  }
}
