internal import Encoding
internal import Wire

/// git's credential helpers (gitcredentials(7)), with lines `NAME=VALUE`.
enum GitHelper {
  static let helper = HelperProtocol(
    input: { ["get", "erase", "store"].contains($0.last ?? "") ? .paragraph : .nothing },
    failureOutput: { failure, _, _ in
      if failure.code == .originNotListed { return HelperFailureOutput(isSilent: true, status: 0) }
      // Keep git from prompting for a password if only a sign-in helps. Otherwise the next helper may have one.
      return needsSignIn(failure.code) ? HelperFailureOutput(output: "quit=1\n") : HelperFailureOutput()
    },
    request: { (call) throws(Failure) in try request(call) })

  private static func needsSignIn(_ code: FailureCode) -> Bool {
    code.exitStatus == .signInNeeded && code != .noAccount
  }

  private static let maximumLineBytes = 65_535

  private static func request(_ call: HelperCall) throws(Failure) -> HelperRequest {
    switch call.arguments.last {
    case "capability": return .text("version 0\ncapability authtype\n")
    case "get": return try get(CredentialAttributes(call.input), call)
    case "erase":
      let attributes = try CredentialAttributes(call.input)
      guard let url = call.url ?? attributes.url,
        let secret = attributes["password"] ?? attributes["credential"]
      else { return .text("") }
      return .erase(url: url, secret: secret)
    // Ignore `store` and the operations of later git versions.
    default: return .text("")
    }
  }

  private static func get(_ attributes: CredentialAttributes, _ call: HelperCall) throws(Failure) -> HelperRequest {
    guard let url = call.url ?? attributes.url else { return .text("") }
    let asked = call.user ?? attributes.text("username")
    let mayAuthorize = attributes.acceptsAuthorization
    return .token(TokenRequest.Destination(url: url, user: asked)) { (credential, token, text) throws(Failure) in
      let header = credential.header
      if mayAuthorize, header.isAuthorization, !header.isBasic, !header.scheme.isEmpty {
        text.append(utf8: "capability[]=authtype\nauthtype=\(header.scheme)\ncredential=")
        text.append(contentsOf: token)
        text.append(utf8: "\nephemeral=1\n")
        if let user = call.user { text.append(utf8: "username=\(try credential.user(requested: user))\n") }
      } else {
        text.append(utf8: "username=\(try credential.user(requested: asked))\npassword=")
        text.append(contentsOf: token)
        text.append(utf8: "\n")
      }
      if let expiry = credential.expiresAt { text.append(utf8: "password_expiry_utc=\(expiry)\n") }
    }
  }

  private struct CredentialAttributes {
    private var members: [(name: String, value: [UInt8])] = []

    /// Throws `invalid_request` if a line is too long, lacks "=", or contains NUL or CR.
    init(_ input: [UInt8]) throws(Failure) {
      for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        if line.isEmpty { break }
        guard line.count <= maximumLineBytes, !line.contains(0), !line.contains(UInt8(ascii: "\r")),
          let end = line.firstIndex(of: UInt8(ascii: "="))
        else { throw Failure(.invalidRequest, "cannot read the request from git") }
        members.append((String(decoding: line[..<end], as: UTF8.self), Array(line[(end + 1)...])))
      }
    }

    /// An attribute's final non-empty value.
    subscript(_ name: String) -> [UInt8]? {
      members.last { $0.name.hasSameBytes(as: name) && !$0.value.isEmpty }?.value
    }

    func text(_ name: String) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }

    /// The values of a repeated attribute. An empty value drops those before it.
    func texts(_ name: String) -> [String] {
      let values = members.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
      let last = values.split(omittingEmptySubsequences: false) { $0.isEmpty }.last ?? []
      return last.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Nil unless https or http with a plain host.
    var url: String? {
      guard let scheme = text("protocol"), ["https", "http"].contains(scheme), let host = text("host"),
        HelperCall.isPlainHost(host.utf8)
      else { return nil }
      return "\(scheme)://\(host)\(path.map { "/" + $0 } ?? "")"
    }

    /// The path, percent-encoded because git decodes it. One with dot segments is unchanged and matches no listed URL.
    private var path: String? {
      guard let bytes = self["path"] else { return nil }
      let text = String(decoding: bytes, as: UTF8.self)
      return URI.hasDotSegments(inPath: text) ? text : URI.encodedPath(bytes)
    }

    /// Whether git can send an `Authorization` header and the server may accept it.
    var acceptsAuthorization: Bool {
      guard texts("capability[]").contains("authtype") else { return false }
      let schemes = texts("wwwauth[]").map { $0.prefix { $0 != " " }.lowercased() }
      return schemes.isEmpty || !schemes.allSatisfy { ["basic", "negotiate", "ntlm", "digest"].contains($0) }
    }
  }
}
