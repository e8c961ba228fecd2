internal import Vocabulary
internal import Wire

/// The commands for requests to resources.
enum RequestCommands {
  static let request = Command(
    .request,
    summary: "Make a request to a resource with an account's token",
    details: """
      Sends a request with the token of the account that permits the URL's host
      (`agent account set work --host api.example.com`). The token is sent to no other host, and no other program sees
      it.

      `agentd` makes the request. `URL` selects the account: the one that permits its origin (scheme, host and port)
      with `agent account set --host`, or else the one whose UserInfo endpoint is there. `--account` selects one of
      several, but an origin that the account does not permit is still refused. The active account is not preferred.

      `METHOD` is `GET`, or `POST` with data; `-X METHOD` sets it too. Several `--data` are joined as a form:
      `-d a=1 -d b=2` is `a=1&b=2`. A file is sent unchanged, and alone. The response body is written to standard output
      as it arrives, whatever the status. If the body is incomplete, the received part has been written, and the exit
      status is 4. This includes a body that only the end of a TLS connection ends, if the server did not announce that
      end: an attacker may have cut it. Bodies can have any size in both directions. On a terminal, control characters
      of the body except tabs and line feeds are omitted; `--raw` writes them too.

      If the token is refused with status 401, it is renewed and the request is repeated once. If the resource also
      refuses the fresh token, its 401 is the response. For five minutes, or until the token is renewed for another
      reason, this resource's refusals cause no refresh, and the session is unchanged. Data from a pipe can be sent
      again if it is at most 1 MiB. Redirects of `GET`, `HEAD` and `OPTIONS` to the same origin are followed, at most
      three times; any other redirect is the response.

      `--scope`, `--resource`, `--audience`, `--authorization-details` and `--exchange` send a token other than the
      account's own, as in `agent token`. The permitted origins are the same.

      The default `Content-Type` is `application/x-www-form-urlencoded`. These headers are refused: `Authorization`,
      `DPoP`, `Host`, `Content-Length`, `Transfer-Encoding`, `Connection`, `Keep-Alive`, `TE`, `Trailer`, `Upgrade`,
      `Expect`, `HTTP2-Settings` and those that begin with `Proxy-`.

      `--timeout` limits the time without progress (default: 2 minutes), not the total time. `--idle` sets another limit
      once the response has begun: `--idle never` suits a stream of events. `--wait` applies before: if the network is
      down or the authorization server has problems, the request starts as soon as it can.

      With `--json`, which requires `--output`, prints `{"account", "status", "headers": [["NAME", "VALUE"], ...],
      "body_bytes"}`.

      The exit status is 0 for a response status below 400, 3 for 401, 6 for 403, 4 for 408, 425, 429 and 500 or above,
      and 1 for any other. If the resource requires another sign-in (RFC 9470) or claims (`insufficient_claims`), it is
      3; if it requires a scope, 6. The error on standard error names the command to run.
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
    details: """
      Connects an MCP client, which starts this command and uses its standard input and output, to the Streamable HTTP
      server at `URL`. Requests are sent with the token of the account that permits the URL's host, as with
      `agent request`: neither the client nor this command gets the token.

      Configure a client with `{"mcpServers": {"notes": {"command": "agent", "args": ["mcp", "URL"]}}}`, or with a
      command such as `claude mcp add notes -- agent mcp URL`. Set up the account once:
      `agent login NAME --resource URL` signs in as the server requires and permits its URL, or
      `agent account set NAME --host HOST` permits the host for an existing account. All clients share the session of
      the account. The bridge itself never registers a client, and signs in only at the account's own authorization
      server.

      If a call needs the user, it returns an error with the code -32001. The error's `message` contains the command to
      run, and so does `data.command` if the command cannot send a token elsewhere. The bridge continues: after the
      sign-in, the next call works. `data` also contains `code`, `status`, and for a sign-in `login` and `scope`. If no
      account permits the server, the command is `agent login URL`. Other failures have the code -32000. With
      `--login ask`, the bridge itself starts the sign-in (the device flow), with more scope if the server requires it.
      A client that can show URLs (URL mode elicitation) shows the page, and the call continues after the sign-in. Any
      other client gets the URL and the code in the error. Without `--login`, the bridge does so only for clients that
      can show URLs, and with `--login never` for none. If the user declines, the bridge does not ask again for an hour.

      It supports the revisions of MCP from 2025-03-26 to 2025-11-25, which have sessions, and 2026-07-28, which has
      none; the client chooses. If the server has forgotten the session, one new session is started for all calls. A
      call that may have been carried out is not repeated: if a response breaks off, the rest is requested if the server
      supports that; otherwise the call fails. The transport of 2024-11-05 (HTTP with SSE) is not supported. Redirects
      are not followed; the error names the target. At most 64 calls run at a time. A message can have 32 MiB, 1,048,576
      values and a nesting of 256.

      With 2026-07-28, a call that the server refuses because of its header fields is repeated once, after the bridge
      has listed the tools. Tools with an invalid `x-mcp-header` are left out and named on standard error.

      Standard output contains only messages. The command ends shortly after its input, with exit status 0, and first
      ends the session at the server. Without `--timeout`, a response can take up to an hour to begin.
      """,
    options: [
      Option.signInPolicy.declaration,
      Option.headers.saying("Send this header with each request; may be given several times"),
    ] + Options.tokenTarget,
    operands: .url,
    examples: [
      Example("Connect a client, which starts this command", "agent mcp https://mcp.example.com/mcp"),
      Example("Start the sign-ins that calls need", "agent mcp https://mcp.example.com/mcp --login ask"),
      Example("Use a specific account", "agent mcp https://mcp.example.com/mcp --account work"),
    ])

  static let proof = Command(
    .proof,
    summary: "Print a proof for one request with a bound token",
    details: """
      A token from `agent login --dpop` is bound to a key that never leaves `agentd` (DPoP, RFC 9449). In addition to
      `Authorization: DPoP TOKEN`, a request with such a token needs a header `DPoP` with a proof for its method, its
      URL and this token.

      A proof is valid once, for about a minute. It does not cover the query of the URL. `agent request` makes its own
      proofs; this command is for other programs.

      As for `agent request`, the URL selects the account and must be permitted: `agent account set NAME --host HOST`.
      The default method is GET.

      With `--header`, prints both header lines, for the same token.

      A server may respond with status 401, the error `use_dpop_nonce` and a header `DPoP-Nonce`. Pass its value with
      `--nonce` and send the request again. Later proofs for that server use the nonce automatically.

      If the token is not bound, the exit status is 1.
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
