import Encoding

/// An error answer (RFC 6749 section 5.2 and the specifications that follow its form).
struct Refusal: Error, Sendable {
  /// What proofs of possession may be signed with (RFC 9449 section 5.1): asymmetric, and none that is weak.
  static let proofAlgorithms = ["ES256", "ES384", "ES512", "PS256", "RS256", "EdDSA", "Ed25519"]

  let code: String
  /// For the developer; our own words in printable ASCII.
  let description: String
  var answer: IssuerAnswer

  init(_ code: String, _ description: String, status: Int? = nil) {
    (self.code, self.description) = (code, description)
    let members: JSONObject = ["error": .string(code), "error_description": .string(description)]
    answer = .json(members, status: status ?? (code == "invalid_client" ? 401 : 400))
    if code == "invalid_client" { answer[header: "WWW-Authenticate"] = "Basic realm=\"devissuer\"" }
  }

  /// A request that cannot be read (RFC 9110 section 15, RFC 6585 section 5).
  init(unreadable status: Int) {
    self.init("invalid_request", "This request cannot be read.")
    answer = .text(description, status: status)
  }

  /// The client is to repeat the request with this nonce in its proof (RFC 9449 section 8).
  init(nonce: String) {
    self.init("use_dpop_nonce", "use the nonce of this answer")
    answer[header: "DPoP-Nonce"] = nonce
  }

  /// What a protected resource says to a token that is not good (RFC 6750 section 3, RFC 9449 section 7.1).
  ///
  /// - Parameter attributes: Further ones, each after a comma and a space.
  static func challenge(
    _ code: String?, _ description: String = "", scheme: String = "Bearer", status: Int = 401, _ attributes: String = ""
  ) -> Refusal {
    var refusal = Refusal(code ?? "", description)
    let error = code.map { ", error=\"\($0)\"" } ?? ""
    let text = description.isEmpty ? "" : ", error_description=\"\(description)\""
    let proofs = scheme == "DPoP" ? ", algs=\"\(proofAlgorithms.joined(separator: " "))\"" : ""
    refusal.answer = .text("Access to this resource needs a valid access token.", status: status)
    refusal.answer[header: "WWW-Authenticate"] = "\(scheme) realm=\"devissuer\"\(error)\(text)\(proofs)\(attributes)"
    return refusal
  }
}

/// Goes on only if something holds, else answers with an error.
func check(_ holds: Bool, _ code: String, _ description: String) throws {
  if !holds { throw Refusal(code, description) }
}

/// Goes on only with a value, else answers with an error.
func check<Value>(_ value: Value?, _ code: String, _ description: String) throws -> Value {
  guard let value else { throw Refusal(code, description) }
  return value
}

/// Goes on only if a request can be read so far.
func check(_ holds: Bool, status: Int) throws {
  if !holds { throw Refusal(unreadable: status) }
}

func check<Value>(_ value: Value?, status: Int) throws -> Value {
  guard let value else { throw Refusal(unreadable: status) }
  return value
}
