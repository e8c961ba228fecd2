extension Command {
  static let proof = Command(
    name: "proof",
    summary: "Print a proof for one request with a bound token",
    details: [
      "A token that `agent login --dpop` got is bound to a key that never leaves `agentd` (DPoP, RFC 9449). A request"
        + " with such a token needs, beside `Authorization: DPoP TOKEN`, a header `DPoP` with a proof that is made for its"
        + " method, its URL and this token. A proof is good once, and for about a minute. The query of the URL is no part"
        + " of it. `agent request` makes its own; this command is for other programs.",
      "As for `agent request`, the URL decides which account it is, and gets a proof only where the token may go:"
        + " `agent account set NAME --host HOST`. Without a method, GET is meant.",
      "With `--header` prints both header lines, for the same token.",
      "A server may answer with status 401, the error `use_dpop_nonce` and a header `DPoP-Nonce`. Hand its value over with"
        + " `--nonce` and send the request again; later proofs for that server use it without being told.",
      #"With `--json` prints `{"account", "dpop"}`. The command fails with exit status 1 when the token is not bound."#,
    ],
    options: [
      Option(name: .nonce, value: .text("NONCE"), summary: "Use the nonce that the server gave in `DPoP-Nonce`"),
      Option(name: .header, summary: "Print whole `Authorization` and `DPoP` header lines"),
    ],
    operands: .methodAndURL,
    examples: [
      Example(
        purpose: "Call an API with a bound token",
        line: "agent proof --header https://api.example.com/me | curl -H @- https://api.example.com/me")
    ],
    run: ProofCommand.run)
}
