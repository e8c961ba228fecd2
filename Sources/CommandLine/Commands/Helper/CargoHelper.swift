internal import Encoding
internal import Wire

/// cargo's credential providers: JSON requests (version 1) and `cargo:token-from-stdout`. The token is the complete
/// `Authorization` header value.
enum CargoHelper {
  static let helper = HelperProtocol(
    input: { $0.contains(HelperProtocolName.cargoPlugin) ? .conversation : .nothing }, greeting: "{\"v\":[1]}\n",
    failureOutput: { failure, line, call in
      guard call.arguments.contains(HelperProtocolName.cargoPlugin) else { return HelperFailureOutput() }
      return HelperFailureOutput(output: failureOutput(failure, line), isSilent: failure.code == .originNotListed)
    },
    request: { (call) throws(Failure) in
      guard call.arguments.contains(HelperProtocolName.cargoPlugin) else {
        let destination = TokenRequest.Destination(
          url: (call.url ?? call.variable("CARGO_REGISTRY_INDEX_URL")).map(index), user: call.user)
        return .token(destination) { (credential, token, text) throws(Failure) in
          try credential.appendHeaderValue(token, for: call.user, to: &text)
          text.append(utf8: "\n")
        }
      }
      return try request(call)
    })

  private static func request(_ call: HelperCall) throws(Failure) -> HelperRequest {
    guard let request = try? JSON(parsing: call.input), request["v"]?.int == 1,
      let url = request["registry"]?["index-url"]?.string
    else { throw Failure(.invalidRequest, "cannot read the request from cargo") }
    guard request["kind"]?.string == "get" else { return .text("{\"Err\":{\"kind\":\"operation-not-supported\"}}\n") }
    let account = account(in: request["args"]?.array?.compactMap(\.string) ?? [])
    return .token(TokenRequest.Destination(url: index(url), user: call.user), account: account) {
      (credential, token, text) throws(Failure) in
      text.append(utf8: "{\"Ok\":{\"kind\":\"get\",\"token\":")
      try credential.appendHeaderJSON(token, for: call.user, to: &text)
      let cache = credential.expiresAt.map { "\"expires\",\"expiration\":\($0)" } ?? "\"never\""
      text.append(utf8: ",\"cache\":\(cache),\"operation_independent\":true}}\n")
    }
  }

  private static func account(in words: [String]) -> String? {
    let option = "--account"
    if let joined = words.first(where: { $0.hasPrefix(option + "=") }) {
      return String(joined.dropFirst(option.count + 1))
    }
    return words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
  }

  /// The URL without `sparse+` or `registry+`.
  private static func index(_ url: String) -> String {
    for prefix in ["sparse+", "registry+"] where url.hasPrefix(prefix) { return String(url.dropFirst(prefix.count)) }
    return url
  }

  private static func failureOutput(_ failure: Failure, _ line: String) -> String {
    if failure.code == .originNotListed { return "{\"Err\":{\"kind\":\"url-not-supported\"}}\n" }
    let message = JSON.string(line).serialized()
    return "{\"Err\":{\"kind\":\"other\",\"message\":\(String(decoding: message, as: UTF8.self)),\"caused-by\":[]}}\n"
  }
}
