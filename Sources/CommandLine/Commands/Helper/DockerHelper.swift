internal import Encoding
internal import Wire

/// The credential helper protocol of docker, podman and skopeo. Standard input is the registry's address.
enum DockerHelper {
  /// docker treats this output as a missing credential.
  private static let notFound = "credentials not found in native keychain\n"

  static let helper = HelperProtocol(
    input: { ["get", "erase", "store"].contains($0.first ?? "") ? .everything : .nothing },
    failureOutput: { failure, line, _ in
      // Errors go to standard output.
      failure.code == .originNotListed
        ? HelperFailureOutput(output: notFound, isSilent: true, status: 1)
        : HelperFailureOutput(output: line + "\n", status: 1)
    },
    request: { (call) throws(Failure) in try request(call) })

  private static func request(_ call: HelperCall) throws(Failure) -> HelperRequest {
    switch call.arguments.first {
    case "get":
      let asked = try address(call.input)
      return .token(TokenRequest.Destination(url: withoutAPIPath(asked), user: call.user)) {
        (credential, token, text) throws(Failure) in
        text.append(utf8: "{\"ServerURL\":")
        text.append(jsonString: asked)
        text.append(utf8: ",\"Username\":")
        text.append(jsonString: try credential.user(requested: call.user))
        text.append(utf8: ",\"Secret\":")
        text.append(jsonStringBytes: token)
        text.append(utf8: "}\n")
      }
    case "list":
      return .listedURLs { urls in
        let members = urls.map { ($0.url, JSON.string($0.user)) }
        return String(decoding: JSON.object(JSONObject(members)).serialized(), as: UTF8.self) + "\n"
      }
    case "version": return .text("\(ProgramName.current.text) \(Product.version)\n")
    // The request does not include the rejected password.
    case "erase": return .text("")
    case "store":
      throw Failure(
        .invalidRequest, "cannot store credentials for docker: agent manages the session", hint: .command("agent login")
      )
    default: throw Failure(.invalidRequest, "docker requests must be one of get, list, erase, store, version")
    }
  }

  /// Throws `place_not_listed` for an invalid address. docker treats that error as a missing credential.
  private static func address(_ input: [UInt8]) throws(Failure) -> String {
    var bytes = input[...]
    while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard (1...2048).contains(bytes.count), bytes.allSatisfy(\.isVisibleASCII) else {
      throw Failure(.originNotListed, "cannot read the request from docker")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// docker may include the API path.
  private static func withoutAPIPath(_ address: String) -> String {
    for suffix in ["/v1/", "/v2/", "/v1", "/v2", "/"] where address.utf8.count > suffix.utf8.count {
      if address.hasSuffix(suffix) { return String(address.dropLast(suffix.count)) }
    }
    return address
  }
}
