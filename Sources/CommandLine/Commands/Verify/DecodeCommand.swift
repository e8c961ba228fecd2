internal import Encoding
internal import Platform
internal import Wire

/// `agent decode`: needs no daemon or key, and always warns that it verifies nothing.
enum DecodeCommand {
  static let decode = Command(
    .decode,
    summary: "Show what a token says, without verifying it",
    operands: .file,
    examples: [
      Example("See what is in the ID Token", "agent token --id-token | agent decode"),
      Example("See what is in a file of tokens", "agent decode tokens.txt"),
      Example("Print one claim", "agent decode tokens.txt --json | jq -r .claims.sub"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let (path, timeout, console) = (invocation.operands.first, invocation[.timeout], Console(invocation))
    try TokenInput.refuseTokens(among: [path], of: .decode)
    return Action { () throws(Failure) in try decode(path, within: timeout, console) }
  }

  private static func decode(_ path: String?, within seconds: Int?, _ console: Console) throws(Failure) -> Int32 {
    var input = try TokenInput.open(path, within: seconds, console)
    let now = SystemTime().wallSeconds()
    var lines = LineBlocks(limit: TokenInput.maximumLineBytes)
    var (found, malformed) = (0, 0)
    while let block = try lines.next(by: { (bytes) throws(Failure) in try input.read(into: &bytes) }) {
      var bytes = block.bytes
      for line in block.lines {
        found += 1
        do throws(Failure) {
          let token = try token(line, in: bytes)
          if found - malformed == 1 { warn(console) }
          try show(token, console.usesJSON, isFirst: found == 1, now)
        } catch {
          guard error.code == .malformedToken else { throw error }
          malformed += 1
          console.report(Failure(error.code, found > 1 ? Phrase("line \(line.number): \(error.text)") : error.text))
        }
      }
      bytes.overwrite()
    }
    if found == 0 { throw TokenInput.missingToken }
    return malformed == 0 ? 0 : FailureCode.malformedToken.exitStatus.rawValue
  }

  private static func token(_ line: LineBlocks.Line, in bytes: [UInt8]) throws(Failure) -> DecodedToken {
    guard let range = line.range else {
      throw Failure(
        .malformedToken, "the line is longer than the \(TokenInput.maximumLineBytes) bytes of the longest token")
    }
    return try DecodedToken(bytes.span.extracting(range))
  }

  private static func show(_ token: DecodedToken, _ isJSON: Bool, isFirst: Bool, _ now: Int) throws(Failure) {
    if isJSON { return try Console.answer(token.json) }
    try Console.answer((isFirst ? "" : "\n") + token.text(now: now))
  }

  /// Warns even with `--quiet` and `--json`.
  private static func warn(_ console: Console) {
    let word = Console.styled(Phrase("warning:").localized(), as: "1;33", !console.usesJSON && Console.mayColour)
    let name = ProgramName.current.text
    let text = Phrase("NOT VERIFIED: anyone can write such a token; check it with \(name) verify").localized()
    Console.printToStandardError("\(name): \(word) \(text)\n")
  }
}
