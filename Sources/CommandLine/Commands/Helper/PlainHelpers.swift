internal import Encoding
internal import Wire

enum PlainHelpers {
  /// A header line, for `curl -H @-`.
  static let header = HelperProtocol { (call) throws(Failure) in
    .token(TokenRequest.Destination(url: call.url, user: call.user)) { (credential, token, text) throws(Failure) in
      try credential.appendHeaderLine(token, for: call.user, to: &text)
    }
  }

  /// A curl configuration line, for `curl -K -`.
  static let curl = HelperProtocol { (call) throws(Failure) in
    .token(TokenRequest.Destination(url: call.url, user: call.user)) { (credential, token, text) throws(Failure) in
      guard credential.header == .bearer else {
        text.append(utf8: "header = \"\(credential.header.name): ")
        try SecretText.with(capacity: 2 * token.count + 128) { (value) throws(Failure) in
          try credential.appendHeaderValue(token, for: call.user, to: &value)
          text.appendQuoted(value.bytes.span)
        }
        return text.append(utf8: "\"\n")
      }
      if let user = call.user ?? credential.user {
        _ = try credential.user(requested: user)
        text.append(utf8: "user = \"")
        text.appendQuoted(Array(user.utf8).span)
        text.append(utf8: "\"\n")
      }
      text.append(utf8: "oauth2-bearer = \"")
      text.appendQuoted(token)
      text.append(utf8: "\"\n")
    }
  }

  /// An entry of netrc(5), for `curl --netrc-file`.
  static let netrc = HelperProtocol { (call) throws(Failure) in
    guard let url = call.url, let uri = OriginEntry.uri(url) else {
      throw Failure(.invalidRequest, "no host given", hint: "use \("--url")")
    }
    return .token(TokenRequest.Destination(url: url, user: call.user)) { (credential, token, text) throws(Failure) in
      text.append(utf8: "machine \(uri.host) login \(try credential.user(requested: call.user)) password ")
      text.append(contentsOf: token)
      text.append(utf8: "\n")
    }
  }

  /// A header as a JSON object, for the `headersHelper` of MCP clients.
  static let mcp = HelperProtocol { (call) throws(Failure) in
    .token(TokenRequest.Destination(url: call.url, user: call.user)) { (credential, token, text) throws(Failure) in
      text.append(utf8: "{")
      text.append(jsonString: credential.header.name)
      text.append(utf8: ":")
      try credential.appendHeaderJSON(token, for: call.user, to: &text)
      text.append(utf8: "}\n")
    }
  }

  /// Google's executable-sourced credentials (AIP-4117). Failures are JSON too.
  static let gcp = HelperProtocol(
    failureOutput: { failure, line, _ in
      let object = JSONObject([
        ("version", .int(1)), ("success", .bool(false)), ("code", .string(failure.code.rawValue)),
        ("message", .string(line)),
      ])
      return HelperFailureOutput(output: String(decoding: JSON.object(object).serialized(), as: UTF8.self) + "\n")
    },
    request: { (call) throws(Failure) in
      .token(TokenRequest.Destination(url: call.url, user: call.user, kind: .idToken)) {
        (credential, token, text) throws(Failure) in
        try credential.checkUnused(call.user)
        let type = credential.kind == .idToken ? "id_token" : "jwt"
        text.append(
          utf8:
            "{\"version\":1,\"success\":true,\"token_type\":\"urn:ietf:params:oauth:token-type:\(type)\",\"id_token\":")
        text.append(jsonStringBytes: token)
        if let expiry = credential.expiresAt { text.append(utf8: ",\"expiration_time\":\(expiry)") }
        text.append(utf8: "}\n")
      }
    })
}

extension SecretText {
  /// Escapes text for curl's configuration.
  fileprivate mutating func appendQuoted(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(bytes[index])
    }
  }
}
