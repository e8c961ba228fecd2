internal import Encoding
internal import Platform
internal import Wire

enum TokenInput {
  static let maximumLineBytes = 65_536

  /// Opens a file, or standard input for `-` or nil. Rejects a terminal with `--no-input`. `seconds` limits the time
  /// for all tokens.
  static func open(_ path: String?, within seconds: Int?, _ console: Console) throws(Failure) -> TokenReader {
    if let path, path != "-" {
      let shown = TerminalText.mayBeToken(path) ? TerminalText.word(path) : path
      let file = try NamedFile.open(path, within: seconds) {
        Failure(.invalidRequest, Phrase("cannot read the file \"\(shown)\": \($0)"))
      }
      return TokenReader(file, isTyped: false, within: seconds)
    }
    let isTyped = Terminal.isTerminal(0)
    if isTyped {
      guard console.mayAsk else { throw Failure(.invalidRequest, "cannot read from a terminal with --no-input") }
      console.note("reading tokens, one per line, until end of file (Ctrl-D)")
    }
    do { return TokenReader(try FileDescriptor.duplicate(0), isTyped: isTyped, within: seconds) } catch {
      throw Failure(.invalidRequest, Phrase("cannot read standard input: \(Phrase(known: error.message))"))
    }
  }

  /// Throws `invalid_request` if a word looks like a token.
  static func refuseTokens(among words: [String?], of command: CommandName) throws(Failure) {
    guard words.contains(where: { $0.map(TokenShape.isLikely) ?? false }) else { return }
    throw Failure(
      .invalidRequest,
      "a token cannot be an argument, because every user of this machine can see a program's arguments",
      hint: "use a file that contains it, or write it to the standard input of agent \(command.rawValue)")
  }

  static let missingToken = Failure(
    .invalidRequest, "the input contains no token", hint: "pass a token in a file or on standard input")
}
