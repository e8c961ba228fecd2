import Encoding
import Crypto

/// A row of the table of faults. Each modifies a correct response.
struct IssuerFault: Sendable {
  typealias Edit = @Sendable (inout SpoiledAnswer) throws -> Void

  /// The targets of faults, each with at most one at a time. Raw values are used in options and parameters.
  enum Place: String, Sendable, CaseIterable {
    case authorization, par, registration, resource
    case idToken = "id_token"
    case metadata, jwks, userinfo, dpop, body

    /// The control endpoint's parameter.
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

    /// Whether error responses are modified too.
    var spoilsErrors: Bool { self == .resource || self == .dpop || self == .body }
  }

  let place: Place
  let name: String
  let edit: Edit

  /// Throws if the fault cannot be applied.
  func spoil(_ spoiled: inout SpoiledAnswer) throws {
    let answer = spoiled.answer
    let signer = place == .idToken ? answer.signer : nil
    let location = place == .authorization ? answer[header: "Location"].map { ASCII.halves($0, at: "?") } : nil
    spoiled.query = try Form.parse(location?.1 ?? "").map { ($0.name, $0.value) }
    if let signer, let text = answer.members["id_token"]?.string {
      let parts = try text.split(separator: ".").prefix(2).map { try JSON(parsing: try Base64URL.decode(String($0))) }
      (spoiled.header, spoiled.claims, spoiled.sign) = (parts[0].object ?? [:], parts[1].object ?? [:], signer)
    }
    try edit(&spoiled)
    if let location, spoiled.answer[header: "Location"] != nil {
      spoiled.answer[header: "Location"] = try URI(location.0).appendingQuery(spoiled.query)
    }
    if signer != nil, spoiled.answer.members["id_token"] != nil {
      let payload = JSON.object(spoiled.claims).serialized()
      spoiled.answer.members["id_token"] = .string(try spoiled.sign(spoiled.header, payload))
    }
  }
}

/// The parts of a response that faults modify.
struct SpoiledAnswer {
  var answer: IssuerAnswer
  let url: String
  let key: IssuerKey
  /// The authorization code before the last one.
  let earlierCode: String?
  let redirectTarget: String
  var query: [(name: String, value: String)] = []
  /// Signed again after the modification of the ID Token.
  var header: JSONObject = [:]
  var claims: JSONObject = [:]
  var sign: IssuerAnswer.Signer = { _, _ in "" }

  /// The first value, if any. Setting nil removes the parameter.
  subscript(query name: String) -> String? {
    get { query.first { $0.name == name }?.value }
    set { query = query.compactMap { $0.name == name ? newValue.map { (name, $0) } : $0 } }
  }

  var challenge: String? {
    get { answer[header: "WWW-Authenticate"] }
    set { answer[header: "WWW-Authenticate"] = newValue }
  }

  /// Changes a string member of a JSON response.
  mutating func change(_ member: String, _ change: (String) throws -> String) rethrows {
    answer.members[member] = try answer.members[member]?.string.map { .string(try change($0)) }
  }

  /// Changes a member of a resource's metadata, but not of other responses.
  mutating func describe(_ member: String, _ value: JSON?) {
    if answer.members["resource_name"] != nil { answer.members[member] = value }
  }

  mutating func publish(_ keys: [JSON]) { answer.members["keys"] = .array(keys) }

  /// Inserts a member at the beginning of a JSON object.
  mutating func prefix(_ member: String, _ value: String) {
    answer.body = Array("{\"\(member)\":\(value),".utf8) + answer.body.dropFirst()
  }

  /// The left half of a hash, as in `at_hash`.
  func hash(_ text: String) throws -> JSON { .string(try key.leftHalfHash(of: text)) }

  mutating func move(_ names: String..., by seconds: Int) {
    for name in names { claims[name] = claims[name]?.int.map { .int($0 + seconds) } }
  }

  /// Modifies the text of the token after signing.
  mutating func changeToken(_ change: @escaping @Sendable (String) -> String) {
    let sign = sign
    self.sign = { change(try sign($0, $1)) }
  }

  /// Signs with a key that is not in the JWK Set.
  @discardableResult mutating func signByStranger(_ algorithm: JWSAlgorithm? = nil) throws -> IssuerKey {
    let stranger = try IssuerKey(algorithm ?? key.algorithm)
    sign = { try stranger.sign($0, $1) }
    return stranger
  }
}
