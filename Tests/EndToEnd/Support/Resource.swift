import Encoding
import Platform
import TestSupport
import Testing

/// A resource server whose origin the account `work` of a session lists.
struct Resource {
  let session: Session
  let server: LoopbackServer

  var tree: AgentTree { session.tree }

  /// - Parameter serve: Called for each connection.
  static func with<Result>(
    _ options: String..., serve: @escaping @Sendable (Conversation) throws -> Void,
    body: (Resource) throws -> Result
  ) throws -> Result {
    let server = try LoopbackServer(serve)
    return try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        let events = try tree.signIn(at: issuer.url)
        try tree.allow(server)
        return try body(Resource(session: Session(tree: tree, issuer: issuer, events: events), server: server))
      }
    }
  }

  /// The server responds to each request with the result of `answer`. After a field `Content-Length`, the connection
  /// ends.
  static func answering<Result>(
    _ answer: @escaping @Sendable (ReceivedRequest) -> (status: Int, headers: [String], body: String),
    body: (Resource) throws -> Result
  ) throws -> Result {
    try with(
      serve: { conversation in
        while let request = try conversation.readRequest() {
          let (status, headers, body) = answer(request)
          try conversation.respond(status, headers: headers, body: body)
          if headers.contains(where: { $0.hasPrefix("Content-Length:") }) { return }
        }
      }, body: body)
  }

  func request(_ arguments: String..., path: String = "/x", input: String = "") throws -> ProcessResult {
    try tree.agent(["request"] + arguments + [server.url(path)], input: input)
  }
}

extension AgentTree {
  /// Adds a server to the origins of `work`, so that its token may be sent there.
  func allow(_ server: LoopbackServer) throws {
    let result = try agent("account", "set", "work", "--host", "http://127.0.0.1:\(server.port)")
    try #require(result.succeeded, "\(result.errorText)")
  }

  /// The state of `work`.
  func state() throws -> String? { try json("status")["accounts"]?.array?.first?["state"]?.string }
}
