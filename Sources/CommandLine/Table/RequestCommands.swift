internal import Vocabulary
internal import Wire

/// The commands for requests to resources.
enum RequestCommands {
  static let request = Command(
    .request,
    summary: "Make a request to a resource with an account's token",
    details: """
      Sends the token of the account that lists the URL's host, for which `agent account set work --host
      api.example.com` is typed once. The token goes to no other host, and no other program sees it.

      `agentd` makes the request, so that the token is in no other program. `URL` decides whose token goes along:
      the account that lists its origin (scheme, host and port) with `agent account set --host`, or else the one
      whose UserInfo endpoint is there. `--account` chooses among several; an origin that the account does not
      list is refused all the same. The active account counts no more than others.

      `METHOD` is `GET`, or `POST` when there is data; `-X METHOD` names it as well. Several `--data` are the parts of a
      form, `-d a=1 -d b=2` is `a=1&b=2`; a file is sent as it is, and alone. The body of the answer goes to standard output as it comes,
      whatever the status is: when it breaks off, the part that came has been written, and the exit status is 4. So it
      is where nothing but the end of a TLS connection ends the body and the server did not announce that end: anybody
      may have cut it. Bodies may have any size in both directions. On a terminal, control characters of the body other
      than tabs and line feeds are left out; `--raw` writes them, too.

      When the token is refused with status 401, it is renewed and the request is made again, once. A resource that
      refuses the fresh token too is answered with its 401: for five minutes, or until the token is renewed for another
      reason, no refresh is spent on it, and the session stays what it is. Data from a pipe can be sent again as long as
      it is no more than 1 MiB. A redirect is followed for `GET`, `HEAD` and `OPTIONS`, to the same origin, three times
      at most; any other is an answer.

      `--scope`, `--resource`, `--audience`, `--authorization-details` and `--exchange` let another token than the account's own go along, as in
      `agent token`. Which origins may get it is all the same.

      `Content-Type` is `application/x-www-form-urlencoded` unless a header names another. These headers are refused:
      `Authorization`, `DPoP`, `Host`, `Content-Length`, `Transfer-Encoding`, `Connection`, `Keep-Alive`, `TE`,
      `Trailer`, `Upgrade`, `Expect`, `HTTP2-Settings` and those that begin with `Proxy-`.

      `--timeout` is for how long nothing may move; the whole may take as long as it likes. Without it 2 minutes. `--idle`
      says another time for the answer once it has begun: `--idle never` suits a stream of events.
      `--wait` comes before it: a request that cannot begin, since the network is away or the authorization server is in
      trouble, is made when it can be.

      With `--json`, which needs `--output`, prints `{"account", "status", "headers": [["NAME", "VALUE"], ...],
      "body_bytes"}`.

      The exit status is 0 for an answer with a status below 400, 3 for 401, 6 for 403, 4 for 408, 425, 429 and all from
      500, and 1 for any other. When the resource asks for another sign-in (RFC 9470), or for claims
      (`insufficient_claims`), it is 3; when it asks for a scope, 6. The error on standard error names the command that
      helps.
      """,
    options: [
      Option.method.declaration, Option.headers.declaration, Option.data.declaration, Option.output.declaration,
      Option.include.declaration, Option.raw.declaration,
      Option.wait.declaration, Option.idle.declaration,
    ] + Options.tokenTarget,
    everyday: ["header", "data", "output", "include", "scope", "audience", "wait"],
    operands: .methodAndURL,
    examples: [
      Example(
        "Let an account's token go to an API, then use it",
        "agent account set work --host api.example.com; agent request https://api.example.com/me"),
      Example(
        "Send a document",
        "agent request PUT https://api.example.com/notes/1 -H 'Content-Type: application/json' --data @note.json"),
      Example("Keep what comes in a file", "agent request https://api.example.com/me --output me.json"),
    ])

  static let mcp = Command(
    .mcp,
    summary: "Connect an MCP client to a server that wants a token",
    details: """
      Passes messages between an MCP client, which starts it and talks to its standard input and output, and the server at
      `URL`, which speaks Streamable HTTP. The token of the account that lists the URL's host goes along, as with `agent
      request`: neither the client nor this command gets it.

      A client's settings have it as `{"mcpServers": {"notes": {"command": "agent", "args": ["mcp", "URL"]}}}`, or in the way of
      `claude mcp add notes -- agent mcp URL`. It is set up once: `agent login NAME --resource URL` signs in as the server
      says and lists its host, or `agent account set NAME --host HOST` lists the host with an account that is there. All clients use the one session of the
      account. The bridge itself never registers a client, and signs in nowhere but where the account is signed in.

      A call that needs a person is answered by an error with the code -32001, which has the command that helps in `message`,
      and in `data.command` too if no token can go elsewhere by it, and the bridge goes on: when the person has signed in,
      the next call works. `data` also has `code`, `status`, and for a sign-in `login` and `scope`. Where no account lists
      the server, the command is `agent login URL`. Other failures have the code -32000. With `--login ask` the
      bridge itself begins such a sign-in, with more scope where the server asks for that (the device flow): a client that
      can show addresses (URL mode elicitation) shows the page, and the call goes on after the sign-in; any other gets the
      address and the code in the error. Without `--login` that is so for clients that can show addresses, and with `--login
      never` for none. A person who did not want to is asked again after an hour.

      It speaks the revisions of MCP from 2025-03-26 to 2025-11-25, which have sessions, and 2026-07-28, which has none; the
      client chooses. When the server has forgotten the session, it is begun anew once for all calls. No call is made
      twice that may have been carried out: the rest of an answer that broke off is asked for where the server offers that,
      and else the call fails. The transport of 2024-11-05 (HTTP with SSE) is not spoken. No redirect is followed: the error
      says where it leads. At most 64 calls are made at a time; a message may have 32 MiB, 1,048,576 values and a nesting of
      256.

      Standard output has nothing but messages. It ends, with exit status 0, a moment after its input, and ends the session
      at the server before. Without `--timeout` an answer may take up to an hour to begin.
      """,
    options: [
      Option.signInPolicy.declaration,
      Option.headers.saying("Send this header with each request; may be given several times"),
    ] + Options.tokenTarget,
    operands: .url,
    examples: [
      Example("Connect a client, which starts this", "agent mcp https://mcp.example.com/mcp"),
      Example("Have it begin the sign-ins that calls need", "agent mcp https://mcp.example.com/mcp --login ask"),
      Example("Use a certain account", "agent mcp https://mcp.example.com/mcp --account work"),
    ])

  static let proof = Command(
    .proof,
    summary: "Print a proof for one request with a bound token",
    details: """
      A token that `agent login --dpop` got is bound to a key that never leaves `agentd` (DPoP, RFC 9449). A
      request with such a token needs, beside `Authorization: DPoP TOKEN`, a header `DPoP` with a proof that is
      made for its method, its URL and this token.

      A proof is good once, and for about a minute. The query of the URL is no part of it. `agent request` makes
      its own; this command is for other programs.

      As for `agent request`, the URL decides which account it is, and gets a proof only where the token may go: `agent
      account set NAME --host HOST`. Without a method, GET is meant.

      With `--header` prints both header lines, for the same token.

      A server may answer with status 401, the error `use_dpop_nonce` and a header `DPoP-Nonce`. Hand its value over
      with `--nonce` and send the request again; later proofs for that server use it without being told.

      The command fails with exit status 1 when the token is not bound.
      """,
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
    Self("login", in: .signIn, "WHEN", SignInPolicy.self, "Whether to begin a sign-in that a call needs")
  }
}
