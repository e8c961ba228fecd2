import Encoding
import Crypto
import Platform
import TestSupport
import Testing

@testable import devissuer

/// A running issuer on its own port, with a manual clock.
final class TestIssuer: Sendable {
  static let secret = "s3cret:with+signs"

  static let startSeconds = 1_800_000_000

  let clock = ManualTime(wallSeconds: startSeconds)
  let server: IssuerServer
  var port: UInt16 { server.port }
  var issuer: String { "http://127.0.0.1:\(port)" }

  /// - Parameters:
  ///   - options: Command-line options of `devissuer`.
  ///   - keys: A JWK Set of the client that signs.
  ///   - platformKeys: A JWK Set of the platform that provides assertions.
  init(
    _ options: String..., more: [String] = [], hasControl: Bool = true, keys: JSON? = nil,
    platformKeys: JSON? = nil,
    limits: IssuerConnection.Limits = IssuerConnection.Limits(), log: (@Sendable (String) -> Void)? = nil
  ) throws {
    let hasAlgorithm = options.contains { $0.hasPrefix("--algorithm") }
    let arguments = options + more + (hasControl ? ["--control"] : []) + (hasAlgorithm ? [] : ["--algorithm=ES256"])
    let settings = try #require(try IssuerCommandLine.settings(arguments))
    let server = try IssuerServer(
      settings, clientSecret: Self.secret, clientKeys: keys, platformKeys: platformKeys, clock: clock, limits: limits,
      log: log)
    self.server = server
    try Threads.start(name: "issuer") { try? server.serve() }
  }

  deinit { server.stop() }

  func get(_ path: String, headers: [String] = []) throws -> Reply {
    var connection = try HTTPConnection(port: port)
    return try #require(try connection.request("GET", path, headers: headers))
  }

  func post(_ path: String, _ form: String, headers: [String] = []) throws -> Reply {
    var connection = try HTTPConnection(port: port)
    return try #require(try connection.request("POST", path, headers: headers, body: form))
  }

  func send(_ method: String, _ path: String, _ content: JSON? = nil, headers: [String] = []) throws -> Reply {
    var connection = try HTTPConnection(port: port)
    guard let content else { return try #require(try connection.request(method, path, headers: headers)) }
    let text = String(decoding: content.serialized(), as: UTF8.self)
    let lines = headers + ["Content-Type: application/json", "Content-Length: \(text.utf8.count)", "", text]
    // The content follows the empty line; the client appends a line ending.
    return try #require(try connection.request(method, path, headers: lines))
  }

  func get(_ path: String, bearer token: String) throws -> Reply {
    try get(path, headers: ["Authorization: Bearer \(token)"])
  }

  func control(_ form: String) throws {
    let reply = try post("/control", form)
    #expect(reply.status == 200, "\(reply.text)")
  }

  func counter(_ name: String) throws -> Int? {
    try get("/control").json?[name]?.int
  }

  /// Waits until the issuer delays a request.
  func awaitHang() throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try counter("hangs") == 0 {
      try #require(Instant.now < deadline)
    }
  }

  // MARK: The flows

  struct Device {
    let deviceCode: String
    let userCode: String
  }

  struct Tokens {
    let access: String
    let refresh: String?
    let id: String?
    let json: JSON
  }

  func authorizeDevice(scope: String = "openid profile email", client: String = "agent-cli") throws -> Device {
    let encoded = scope.replacing(" ", with: "+")
    let json = try post("/device_authorization", "client_id=\(client)&scope=\(encoded)").json
    return Device(
      deviceCode: try #require(json?["device_code"]?.string), userCode: try #require(json?["user_code"]?.string))
  }

  func poll(_ device: Device, client: String = "agent-cli") throws -> Reply {
    try post(
      "/token",
      "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=\(device.deviceCode)&client_id=\(client)")
  }

  /// Completes a sign-in, approved through the control endpoint.
  func signIn(scope: String = "openid profile email") throws -> Tokens {
    let device = try authorizeDevice(scope: scope)
    try control("approve=\(device.userCode)")
    return try tokens(of: try poll(device))
  }

  func refresh(_ token: String, _ more: String = "") throws -> Reply {
    try post("/token", "grant_type=refresh_token&refresh_token=\(token)&client_id=agent-cli\(more)")
  }

  func tokens(of reply: Reply) throws -> Tokens {
    #expect(reply.status == 200, "\(reply.text)")
    let json = try #require(reply.json)
    return Tokens(
      access: try #require(json["access_token"]?.string), refresh: json["refresh_token"]?.string,
      id: json["id_token"]?.string, json: json)
  }
}

extension IssuerKey {
  func sign(_ claims: JSONObject) throws -> String { try sign(header, JSON.object(claims).serialized()) }
}
