internal import Platform
internal import Wire

/// Where the tokens of `agent verify` and `agent decode` come from: a file, or standard input.
enum TokenInput {
  /// The longest line, in bytes.
  static let maximumLineBytes = 65_536

  /// - Throws: `invalid_request` for a token in the place of a file, and for a file that cannot be opened.
  static func open(_ invocation: Invocation) throws(Failure) -> TokenReader {
    try TokenShape.refuseTokens(invocation)
    let path = invocation.operands.first ?? "-"
    if !path.utf8.elementsEqual("-".utf8) {
      do { return TokenReader(try FileDescriptor(opening: path, for: .reading), isTyped: false) } catch {
        throw Failure(.invalidRequest, "the file \"\(path)\" cannot be read: \(error.message)")
      }
    }
    let isTyped = Terminal.isTerminal(0)
    if isTyped {
      if invocation.has(.noInput) {
        throw Failure(.invalidRequest, "with --no-input nothing is read from a terminal")
      }
      Console(invocation).note("reading tokens, one a line, up to an end of file (Ctrl-D)")
    }
    do { return TokenReader(try LoginOptions.duplicate(0), isTyped: isTyped) } catch {
      throw Failure(.invalidRequest, "standard input cannot be read: \(error.message)")
    }
  }

  /// There was nothing in it.
  static let nothing = Failure(
    .invalidRequest, "there is no token in the input", hint: "a token is given in a file or on standard input")
}
