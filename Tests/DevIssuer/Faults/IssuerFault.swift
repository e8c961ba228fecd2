import Encoding
import JOSE

/// One way to misbehave: a row of the table, whose edit changes the answer that the honest code has made.
struct IssuerFault: Sendable {
  /// What edits know of the issuer.
  struct Scene {
    let url: String
    let key: IssuerKey
    /// The authorization code before the last one.
    let earlierCode: String?
    let redirectTarget: String
  }

  typealias Edit = @Sendable (inout IssuerAnswer, Scene) throws -> Void

  /// What is spoiled; one fault at a time for each. The raw values are those of options and parameters.
  enum Place: String, Sendable, CaseIterable {
    case authorization, par, registration, resource
    case idToken = "id_token"
    case metadata, jwks, userinfo, dpop, body

    /// Of the control endpoint.
    var parameter: String { self == .body ? "body" : "break_" + rawValue }

    func spoils(_ endpoint: IssuerEndpoint, bodyAt bodyEndpoint: IssuerEndpoint?) -> Bool {
      switch self {
      case .authorization: endpoint == .authorization || endpoint == .decision
      case .resource: [.resource, .echo, .resourceMetadata].contains(endpoint)
      case .idToken: endpoint == .token
      case .dpop: endpoint == .token || endpoint == .par
      case .body: endpoint == bodyEndpoint
      default: endpoint.rawValue == rawValue
      }
    }

    /// Whether errors are spoiled, too.
    var spoilsErrors: Bool { self == .resource || self == .dpop || self == .body }
  }

  let place: Place
  let name: String
  let edit: Edit

  init(_ place: Place, _ name: String, edit: @escaping Edit) {
    (self.place, self.name, self.edit) = (place, name, edit)
  }

  /// A fault that leaves out or replaces a member of a JSON answer.
  init(_ place: Place, _ name: String, _ member: String, _ value: JSON?) {
    self.init(place, name) { answer, _ in answer.members[member] = value }
  }

  /// A fault of the ID Token, which is signed again after the edit as it was before.
  init(idToken name: String, _ edit: @escaping @Sendable (inout IDTokenDraft) throws -> Void) {
    self.init(.idToken, name) { answer, scene in
      guard let text = answer.members["id_token"]?.string, let sign = answer.signer else { return }
      let parts = try text.split(separator: ".").prefix(2).map { try JSON(parsing: try Base64URL.decode(String($0))) }
      var draft = IDTokenDraft(
        header: parts[0].object ?? [:], claims: parts[1].object ?? [:], url: scene.url, key: scene.key, sign: sign)
      try edit(&draft)
      answer.members["id_token"] = .string(try draft.sign(draft.header, JSON.object(draft.claims).serialized()))
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
  @discardableResult mutating func signByStranger(_ algorithm: JWSAlgorithm) throws -> IssuerKey {
    let stranger = try IssuerKey(algorithm)
    sign = { try stranger.sign($0, $1) }
    return stranger
  }
}
