internal import Encoding
internal import Wire

enum ProofCommand {
  static let proof = Command(
    .proof,
    summary: "Print a proof for one request with a bound token",
    answer: ProofRequest(method: "", url: "").manualEntry.result,
    options: [
      Option.method.declaration, Option.nonce.declaration,
      Option.header.withSummary("Print whole `Authorization` and `DPoP` header lines"),
    ],
    operands: .methodAndURL,
    examples: [
      Example(
        "Call an API with a bound token",
        "agent proof --header https://api.example.com/me | curl -H @- https://api.example.com/me"),
      Example("Print the proof for a POST", "agent proof POST https://api.example.com/me"),
      Example("Use a nonce that the server sent", "agent proof --nonce NONCE https://api.example.com/me"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let isHeader = invocation[.header]
    if isHeader, invocation[.json] { throw invocation.conflict(Option.header.declaration, Option.json.declaration) }
    let (method, url) = try invocation.methodAndURL()
    let request = ProofRequest(
      account: try invocation.account(operand: nil), method: method ?? "GET", url: url, nonce: invocation[.nonce],
      wantsAccessToken: isHeader)
    let client = DaemonClient(invocation)
    return .doing { () throws(Failure) in
      if isHeader { return try printHeaders(request, client) }
      let result = try client.ask(.proof(request))
      try client.console.usesJSON
        ? Console.answer(result) : Console.answer(try checked(result["dpop"]?.string) + "\n")
    }
  }

  private static func printHeaders(_ request: ProofRequest, _ client: DaemonClient) throws(Failure) {
    try client.askForToken(.proof(request)) { (answer, line) throws(Failure) in
      let proof = try checked(answer.proof(from: line))
      try SecretText.with(capacity: line.count + 64) { (text) throws(Failure) in
        try TokenCommand.append(.accessToken, of: answer, from: line, as: .header, to: &text)
        text.append(utf8: "DPoP: \(proof)\n")
        try Console.answer(text.bytes.span)
      }
    }
  }

  /// Checks that a proof fits into a header line (RFC 7515 section 7.1).
  private static func checked(_ proof: String?) throws(Failure) -> String {
    guard let proof, !proof.isEmpty, proof.utf8.allSatisfy(\.isVisibleASCII) else {
      throw Reply.unreadable
    }
    return proof
  }
}
