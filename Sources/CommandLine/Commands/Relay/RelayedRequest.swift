internal import Encoding
internal import Wire

/// Another host's authorization request, checked as far as its URL permits.
struct RelayedRequest: Equatable {
  let url: String
  let authority: String
  let clientID: String
  let scope: String?
  let redirectURI: String
  let state: String
  /// The accepted `Host` header values of the redirect.
  let hosts: [String]
  /// The path of the redirect.
  let path: String

  private static let requiredParameters = [
    "response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method",
  ]
  /// The length of an S256 code challenge (RFC 7636 section 4.2).
  private static let challengeLength = 43
  private static let repeatableParameters = ["resource"]

  /// Accepts only https requests for the code flow with PKCE that redirect to the loopback port with the code in the
  /// query. Rejects pushed (RFC 9126) and signed requests (RFC 9101), which cannot be checked.
  init?(_ url: String, port: UInt16) {
    guard url.utf8.count <= LoginStepRequest.maximumURLBytes, url.utf8.allSatisfy(\.isVisibleASCII),
      let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")),
      let page = try? URI(String(url[..<mark])), page.isHTTPS, page.fragment == nil
    else { return nil }
    let query = url.utf8[url.utf8.index(after: mark)...]
    guard !query.contains(UInt8(ascii: "#")),
      let fields = try? Form.parse(Array(query).span, repeatable: Self.repeatableParameters)
    else { return nil }
    func value(_ name: String) -> String? {
      fields.first { $0.name.hasSameBytes(as: name) }?.value
    }
    let values = Self.requiredParameters.compactMap(value).filter { !$0.isEmpty }
    guard values.count == Self.requiredParameters.count, value("request") == nil, value("request_uri") == nil,
      ["query", nil].contains(value("response_mode")),
      values[0] == "code", values[5] == "S256",
      values[4].utf8.count == Self.challengeLength, (try? Base64URL.decode(Array(values[4].utf8).span)) != nil,
      let redirect = try? URI(values[2]), redirect.isHTTPLoopback, redirect.port == port, redirect.query == nil,
      redirect.fragment == nil
    else { return nil }
    self.url = url
    authority = page.authority
    (clientID, redirectURI, state) = (values[1], values[2], values[3])
    scope = value("scope")
    // Some browsers and proxies send the name instead of the address.
    let names = [redirect.host, "localhost"]
    hosts = names.map { "\($0.lowercased()):\(port)" } + (port == 80 ? names : [])
    path = redirect.path.isEmpty ? "/" : redirect.path
  }

  /// The redirect URL, if the query answers this request.
  func redirectURL(for query: [UInt8]) -> String? {
    guard let fields = try? Form.parse(query.span),
      fields.contains(where: { $0.name == "state" && $0.value.hasSameBytes(as: state) }),
      fields.contains(where: { ["code", "error"].contains($0.name) && !$0.value.isEmpty })
    else { return nil }
    let url = "\(redirectURI)?\(String(decoding: query, as: UTF8.self))"
    return url.utf8.count <= LoginStepRequest.maximumURLBytes ? url : nil
  }
}
