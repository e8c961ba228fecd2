import Encoding
import JOSE

/// One way to misbehave: a row of the table, whose edit changes the answer that the honest code has made.
struct IssuerFault: Sendable {
  typealias Edit = @Sendable (inout IssuerAnswer, inout DevelopmentIssuer) throws -> Void
  typealias TokenEdit = @Sendable (inout IDTokenDraft) throws -> Void

  /// What is spoiled; one fault at a time for each. The raw values are those of options and parameters.
  enum Place: String, Sendable, CaseIterable {
    case authorization, par, registration, resource
    case idToken = "id_token"
    case metadata, jwks, userinfo, dpop, body

    func spoils(_ endpoint: IssuerEndpoint, _ settings: IssuerSettings) -> Bool {
      switch self {
      case .authorization: endpoint == .authorization || endpoint == .decision
      case .resource: [.resource, .echo, .resourceMetadata].contains(endpoint)
      case .idToken: endpoint == .token
      case .dpop: endpoint == .token || endpoint == .par
      case .body: endpoint == settings.bodyEndpoint
      default: endpoint.rawValue == rawValue
      }
    }

    /// Whether errors are spoiled, too.
    var spoilsErrors: Bool { self == .resource || self == .dpop || self == .body }
  }

  let place: Place
  let name: String
  /// Proofs at the authorization server are refused for want of a nonce, before anything else is carried out.
  let refusesProofs: Bool
  let edit: Edit

  init(_ place: Place, _ name: String, refusesProofs: Bool = false, edit: @escaping Edit) {
    self.place = place
    self.name = name
    self.refusesProofs = refusesProofs
    self.edit = edit
  }

  /// A fault that leaves out or replaces members of a JSON answer.
  init(_ place: Place, _ name: String, _ member: String, _ value: JSON?) {
    self.init(place, name) { answer, _ in answer.members[member] = value }
  }

  /// A fault of the ID Token, which is signed again after the edit as it was before.
  init(idToken name: String, _ edit: @escaping TokenEdit) {
    self.init(.idToken, name) { answer, issuer in
      guard let text = answer.members["id_token"]?.string, let sign = answer.signer else { return }
      let parts = try text.split(separator: ".").prefix(2).map { try JSON(parsing: try Base64URL.decode(String($0))) }
      var draft = IDTokenDraft(parts[0].object ?? [:], parts[1].object ?? [:], issuer.url, issuer.key, sign)
      try edit(&draft)
      let payload = JSON.object(draft.claims).serialized()
      answer.members["id_token"] = .string(try draft.sign(draft.header, payload))
    }
  }

  /// A fault of one claim of the ID Token.
  init(idToken name: String, _ claim: String, _ value: JSON?) {
    self.init(idToken: name) { $0.claims[claim] = value }
  }
}

/// An ID Token before it is signed again.
struct IDTokenDraft {
  var header: JSONObject
  var claims: JSONObject
  /// Of the issuer.
  let url: String
  let key: IssuerKey
  var sign: IssuerAnswer.Signer

  fileprivate init(
    _ header: JSONObject, _ claims: JSONObject, _ url: String, _ key: IssuerKey, _ sign: @escaping IssuerAnswer.Signer
  ) { (self.header, self.claims, self.url, self.key, self.sign) = (header, claims, url, key, sign) }

  /// The left half of a hash, as `at_hash` has it.
  func hash(_ text: String) throws -> JSON { .string(try key.algorithm.leftHalfHash(of: Array(text.utf8).span)) }

  /// Moves times.
  mutating func move(_ names: String..., by seconds: Int) {
    for name in names { claims[name] = claims[name]?.int.map { .int($0 + seconds) } }
  }

  /// Changes the text of the token, signed as it is.
  mutating func change(_ change: @escaping @Sendable (String) -> String) {
    let sign = sign
    self.sign = { change(try sign($0, $1)) }
  }

  /// Has a key sign that the JWK Set does not hold.
  ///
  /// - Returns: Its header.
  mutating func signByStranger(_ algorithm: JWSAlgorithm) throws -> (header: JSONObject, jwk: JSON) {
    let stranger = try IssuerKey(algorithm)
    sign = { try stranger.sign($0, $1) }
    return (stranger.header, stranger.jwk)
  }
}

extension DevelopmentIssuer {
  /// Changes the answer of an endpoint as its faults want it.
  mutating func spoil(_ answer: inout IssuerAnswer, of endpoint: IssuerEndpoint) {
    for place in IssuerFault.Place.allCases where place.spoils(endpoint, settings) {
      guard let fault = settings.faults[place], answer.status < 400 || place.spoilsErrors else { continue }
      count(.misbehaviours)
      do {
        try fault.edit(&answer, &self)
      } catch {
        answer = .text("the fault \(fault.name) cannot be made", status: 500)
      }
      guard place == .body, let left = settings.bodyFaultsLeft else { continue }
      settings.bodyFaultsLeft = left > 1 ? left - 1 : nil
      if left <= 1 { settings.faults[.body] = nil }
    }
  }
}
