package import Testing
package import Wire

extension Failure {
  /// Code, message and hint, for comparing them; `==` compares only code and subject.
  package var words: [String?] { [code.rawValue, message, hint] }
}

/// Also compares message and hint.
package func expect<Value: ~Copyable>(
  throws expected: Failure, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) {
  let thrown = #expect(throws: Failure.self, comment(), sourceLocation: sourceLocation) { _ = try body() }
  guard let thrown else { return }
  #expect(thrown.words == expected.words, comment(), sourceLocation: sourceLocation)
}
