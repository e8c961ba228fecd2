internal import Encoding
internal import Wire

/// SASL initial responses for mail, in Base64.
enum MailHelper {
  /// XOAUTH2, as documented by Google and Microsoft.
  static let xoauth2 = HelperProtocol { (call) throws(Failure) in
    .token(TokenRequest.Destination(url: call.url, user: call.user)) { (credential, token, text) throws(Failure) in
      try append("user=\(try user(credential, call))\u{1}auth=Bearer ", token, to: &text)
    }
  }

  /// OAUTHBEARER (RFC 7628 section 3.1). Host and port are optional.
  static let oauthBearer = HelperProtocol { (call) throws(Failure) in
    var server = ""
    if let url = call.url {
      guard let uri = OriginEntry.uri(url) else {
        throw Failure(.invalidRequest, "no host given", hint: "use \("--url")")
      }
      server = "host=\(uri.host)\u{1}port=\(uri.port ?? uri.defaultPort ?? 993)\u{1}"
    }
    return .token(TokenRequest.Destination(url: call.url, user: call.user)) {
      [server] (credential, token, text) throws(Failure) in
      // Escape commas and equals signs (RFC 5801 section 4).
      let name = try user(credential, call).reduce(into: "") { text, character in
        text += character == "," ? "=2C" : character == "=" ? "=3D" : String(character)
      }
      try append("n,a=\(name),\u{1}\(server)auth=Bearer ", token, to: &text)
    }
  }

  /// The user's mail address.
  private static func user(_ credential: HelperCredential, _ call: HelperCall) throws(Failure) -> String {
    guard call.user ?? credential.user != nil else {
      throw Failure(
        .invalidRequest, "the mail address of \(credential.account) is unknown", hint: "use \("--user")")
    }
    return try credential.user(requested: call.user)
  }

  /// Writes a SASL message of `start`, the token and two Ctrl-A bytes in Base64.
  private static func append(_ start: String, _ token: Span<UInt8>, to text: inout SecretText) throws(Failure) {
    SecretText.with(capacity: start.utf8.count + token.count + 8) { message in
      message.append(utf8: start)
      message.append(contentsOf: token)
      message.append(utf8: "\u{1}\u{1}")
      Base64.append(message.bytes.span, to: &text)
    }
    text.append(utf8: "\n")
  }
}
