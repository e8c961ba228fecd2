package import Platform
package import Wire

/// The variables of this process that a request lacked. After they were handed over, the same request can be made again over
/// the same connection: what failed so has done nothing.
package struct CallerVariables: Sendable {
  /// Hands them over.
  package let request: Request
  /// Their values, each in a pipe, to be sent with the request.
  package let values: [SharedDescriptor]

  /// - Parameters:
  ///   - failure: Of the request.
  ///   - connection: The one that it was made over.
  /// - Returns: Nil where the request failed for something else, this process has not all of them, or another user's
  ///   process asks for them: what is in the environment is no business of others.
  /// - Throws: `invalid_request` for a value that is longer than any assertion in a variable.
  package init?(lackedBy failure: Failure, over connection: borrowing DaemonConnection) throws(Failure) {
    let names = failure.variables
    guard (1...VariablesRequest.mostNames).contains(names.count), !connection.isOfOtherUser else { return nil }
    var values: [SharedDescriptor] = []
    for name in names {
      guard let value = Environment.value(name), !value.isEmpty else { return nil }
      let bytes = Array(value.utf8)
      values.append(SharedDescriptor(try FileDescriptor.pipe(holding: bytes.span, called: Phrase("value of \(name)"))))
    }
    request = .variables(VariablesRequest(names: names))
    self.values = values
  }
}

extension FileDescriptor {
  /// The capacity of a pipe that is not read (pipe(7)), far more than a secret may have.
  private static let mostPiped = 32_768

  /// The end to read from of a pipe with these bytes in it.
  package static func pipe(holding bytes: Span<UInt8>, called name: Phrase) throws(Failure) -> FileDescriptor {
    guard bytes.count <= mostPiped else { throw Failure(.invalidRequest, Phrase("the \(name) is too long")) }
    do {
      let pipe = try Pipe()
      try pipe.writing.writeAll(bytes)
      return pipe.reading
    } catch {
      throw Failure(error, doing: "the \(name) could not be handed over")
    }
  }
}
