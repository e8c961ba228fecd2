internal import Vocabulary
internal import Wire

/// The commands for requests to resources.
enum RequestCommands {
  static let request = Command(
    .request,
    summary: "Make a request to a resource with an account's token",
    options: [
      Option.method.declaration, Option.headers.declaration, Option.data.declaration, Option.output.declaration,
      Option.include.declaration, Option.raw.declaration,
      Option.wait.declaration, Option.idle.declaration, Option.ask.declaration,
    ] + Options.tokenTarget,
    everyday: ["header", "data", "output", "include", "scope", "audience", "wait", "ask"],
    operands: .methodAndURL,
    examples: [
      Example(
        "Permit an API for an account's token, then use it",
        "agent account set work --host api.example.com; agent request https://api.example.com/me"),
      Example(
        "Send a document",
        "agent request PUT https://api.example.com/notes/1 -H 'Content-Type: application/json' --data @note.json"),
      Example("Save the response body in a file", "agent request https://api.example.com/me --output me.json"),
    ])

  static let mcp = Command(
    .mcp,
    summary: "Connect an MCP client to a server that wants a token",
    options: [
      Option.signInPolicy.declaration,
      Option.headers.saying("Send this header with each request; may be given several times"),
    ] + Options.tokenTarget,
    everyday: ["login", "header", "scope", "resource", "audience"],
    operands: .url,
    examples: [
      Example("Connect a client, which starts this command", "agent mcp https://mcp.example.com/mcp"),
      Example("Start the sign-ins that calls need", "agent mcp https://mcp.example.com/mcp --login ask"),
      Example("Use a specific account", "agent mcp https://mcp.example.com/mcp --account work"),
    ])

  static let proof = Command(
    .proof,
    summary: "Print a proof for one request with a bound token",
    answer: ProofRequest(method: "", url: "").page.result,
    options: [
      Option.method.declaration, Option.nonce.declaration,
      Option.header.saying("Print whole `Authorization` and `DPoP` header lines"),
    ],
    operands: .methodAndURL,
    examples: [
      Example(
        "Call an API with a bound token",
        "agent proof --header https://api.example.com/me | curl -H @- https://api.example.com/me")
    ])
}

/// Whether a bridge starts a sign-in if a call needs one.
enum SignInPolicy: String, CaseIterable, Sendable {
  /// Never: the client receives the command to run.
  case never
  /// Always: a client that cannot show pages receives the URL and the code as text.
  case ask
}

extension Option<SignInPolicy?> {
  static var signInPolicy: Self {
    Self("login", in: .signIn, "WHEN", SignInPolicy.self, "Start the sign-ins that calls need")
  }
}
