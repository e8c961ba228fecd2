import Encoding
import Crypto
import Platform

/// An issuer that converts requests to responses, without sockets and threads.
struct DevelopmentIssuer: Sendable {
  let url: String
  let host: String
  let clock: any TimeSource
  var settings: IssuerSettings
  var key: IssuerKey
  let seal: Seal
  var clients: ClientStore
  var state = IssuerState()
  /// The role for which the current request had a valid proof.
  var provenTo: ProofRole?
  /// The current nonce, then the previous one.
  var nonces: [ProofRole: [String]] = [:]
  /// The used client assertions and proofs.
  var used = BoundedTable<Bool>(capacity: 30_000)
  private(set) var counts: [IssuerCounter: Int] = [:]

  /// - Parameters:
  ///   - secret: The confidential client's secret.
  ///   - keys: The JWK Set of the client that signs, if any.
  ///   - platformKeys: The keys of the platform whose assertions are accepted, if any.
  init(
    _ settings: IssuerSettings, port: UInt16, _ secret: String, _ keys: JSON?, _ platformKeys: JSON?,
    _ clock: any TimeSource
  ) throws {
    host = "127.0.0.1:\(port)"
    url = "http://\(host)"
    (self.settings, self.clock) = (settings, clock)
    key = try IssuerKey(settings.text("--algorithm").flatMap(JWSAlgorithm.init(name:)) ?? .RS256)
    seal = try Seal()
    let exact = settings.entries("--exact-redirect-uri").names.map(RedirectRule.exact)
    let redirects = exact.isEmpty ? [.loopback(pathPrefix: settings.text("--redirect-path") ?? "/")] : exact
    clients = ClientStore(redirects, secret: secret, keys: keys, platformKeys: platformKeys)
    try replaceNonces()
  }

  /// In unix seconds, as clients see the time.
  var wall: Int { clock.wallSeconds() + settings.number("clock_offset") }

  var now: Instant { clock.now() }

  func instant(after seconds: Int) -> Instant { now.advanced(by: .seconds(seconds)) }

  mutating func count(_ counter: IssuerCounter) { counts[counter, default: 0] += 1 }

  /// Counts the errors thrown by `step`.
  mutating func counting<Result>(
    _ counter: IssuerCounter, _ step: (inout DevelopmentIssuer) throws -> Result
  ) throws -> Result {
    do {
      return try step(&self)
    } catch {
      count(counter)
      throw error
    }
  }

  // MARK: Requests

  /// The milliseconds to wait before responding; nil if `waited` is enough.
  mutating func wait(before request: IssuerRequest, waited: Int) -> Int? {
    guard request["host"] == host, let endpoint = Self.route(request.path)?.endpoint else { return nil }
    // Abandons the request after ten minutes.
    if settings.endpoint("hang") == endpoint, waited < 600_000 {
      if waited == 0 { count(.hangs) }
      return 20
    }
    let delay = endpoint == .token ? settings.number("delay_token_ms") - waited : 0
    return delay > 0 ? delay : nil
  }

  /// Responds with a planned failure, or correctly except for the endpoint's faults.
  ///
  /// - Parameter document: The document at the URL returned by ``documentWanted(for:)``.
  mutating func answer(_ request: IssuerRequest, _ document: ClientDocument? = nil) -> IssuerAnswer {
    count(.requests)
    // Rejects web pages that use another name for this address (DNS rebinding).
    guard request["host"] == host else { return .text("This server answers to \(host) only.", status: 421) }
    guard let route = Self.route(request.path), isOffered(route.endpoint) else {
      return .text("Nothing here.", status: 404)
    }
    guard route.methods.isEmpty || route.methods.split(separator: ", ").contains(request.method[...]) else {
      return .text("This method is not allowed here.", status: 405).with("Allow", route.methods)
    }
    if let failure = takeFailure(of: route.endpoint) { return failure }
    if let counter = route.counter { count(counter) }
    var answer: IssuerAnswer
    do {
      provenTo = nil
      if let document { try keep(document) }
      answer = try route.answer(&self, request)
      // The nonce for the next request (RFC 9449 section 8.2).
      if let role = provenTo, settings.isOn("dpop_nonce") {
        if settings.isOn("dpop_nonce_rotation") { nonces[role] = [try Seal.opaque()] + (nonces[role] ?? []).prefix(1) }
        answer[header: "DPoP-Nonce"] = nonces[role]?[0]
      }
    } catch {
      let refusal = error as? Refusal ?? Refusal("server_error", "cryptographic operation failed", status: 500)
      if refusal.code == "invalid_client" { count(.clientFailures) }
      answer = [.authorization, .decision, .logout].contains(route.endpoint) ? Page.refusal(refusal) : refusal.answer
    }
    spoil(&answer, of: route.endpoint)
    return answer
  }

  private mutating func takeFailure(of endpoint: IssuerEndpoint) -> IssuerAnswer? {
    guard IssuerEndpoint.faulty.contains(endpoint) else { return nil }
    let plan = settings["fail_next_" + endpoint.rawValue]
    guard let left = plan["left"]?.int, left > 0, var next = plan.object else { return nil }
    next["left"] = .int(left - 1)
    settings["fail_next_" + endpoint.rawValue] = .object(next)
    count(.misbehaviours)
    return .json(["error": plan["error"] ?? .null], status: plan["status"]?.int ?? 500)
      .with("Retry-After", plan["retry_after"]?.int.map(String.init))
  }

  private mutating func spoil(_ answer: inout IssuerAnswer, of endpoint: IssuerEndpoint) {
    for place in IssuerFault.Place.allCases where place.spoils(endpoint, bodyAt: settings.endpoint("body_at")) {
      let name = settings.text(place.parameter)
      guard let fault = IssuerFault.table.first(where: { $0.place == place && $0.name == name }),
        answer.status < 400 || place.spoilsErrors
      else { continue }
      count(.misbehaviours)
      do {
        var spoiled = SpoiledAnswer(
          answer: answer, url: url, key: key, earlierCode: state.codes.order.dropLast().last,
          redirectTarget: settings.text("redirect_to") ?? "")
        try fault.spoil(&spoiled)
        answer = spoiled.answer
      } catch {
        answer = .text("the fault \(fault.name) cannot be made", status: 500)
      }
      guard place == .body, let left = settings["times"].int else { continue }
      settings["times"] = left > 1 ? .int(left - 1) : .null
      if left == 1 { settings[place.parameter] = .null }
    }
  }
}
