internal import Platform
internal import Wire

/// The source of the tokens of `agent verify` and `agent decode`: a file, or standard input.
enum TokenInput {
  /// The maximum length of a line, in bytes.
  static let maximumLineBytes = 65_536

  /// - Parameters:
  ///   - path: `-` and nil are standard input.
  ///   - seconds: The maximum wait for opening, and for reading all tokens; nil for no limit.
  /// - Throws: `invalid_request` for a file that cannot be opened, `timeout`.
  static func open(_ path: String?, within seconds: Int?, _ console: Console) throws(Failure) -> TokenReader {
    if let path, !path.utf8.elementsEqual("-".utf8) {
      let file = try NamedFile.open(path, within: seconds) {
        Failure(.invalidRequest, Phrase("the file \"\(path)\" cannot be read: \($0)"))
      }
      return TokenReader(file, isTyped: false, within: seconds)
    }
    let isTyped = Terminal.isTerminal(0)
    if isTyped {
      guard console.mayAsk else { throw Failure(.invalidRequest, "with --no-input nothing is read from a terminal") }
      console.note("reading tokens, one a line, up to an end of file (Ctrl-D)")
    }
    do { return TokenReader(try NamedSecret.duplicate(0), isTyped: isTyped, within: seconds) } catch {
      throw Failure(.invalidRequest, Phrase("standard input cannot be read: \(Phrase(known: error.message))"))
    }
  }

  /// - Throws: `invalid_request` if one of these words on the command line is a token. The message does not repeat it.
  static func refuseTokens(among words: [String?], of command: CommandName) throws(Failure) {
    guard words.contains(where: { $0.map(TokenShape.isLikely) ?? false }) else { return }
    throw Failure(
      .invalidRequest,
      "a token is not taken as an argument, since every user of this machine can see the arguments of a program",
      hint: "name a file that holds it, or write it to the standard input of agent \(command.rawValue)")
  }

  /// The failure of an empty input.
  static let nothing = Failure(
    .invalidRequest, "there is no token in the input", hint: "a token is given in a file or on standard input")
}
