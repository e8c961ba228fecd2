package import Platform

/// Environment variables that a failed request needs. Pass them, then repeat the request on the same connection.
package struct CallerVariables: Sendable {
  /// The request that passes ``values``.
  package let request: Request
  /// A pipe for each value.
  package let values: [SharedDescriptor]

  /// Nil if the request failed for another reason, a variable is unset, or the daemon is another user's.
  ///
  /// - Throws: `invalid_request` if a value is too long.
  package init?(neededAfter failure: Failure, over connection: borrowing DaemonConnection) throws(Failure) {
    let names = failure.variables
    guard (1...VariablesRequest.maximumCount).contains(names.count), !connection.isOfOtherUser else { return nil }
    var values: [SharedDescriptor] = []
    for name in names {
      guard let value = Environment.value(name), !value.isEmpty else { return nil }
      let bytes = Array(value.utf8)
      values.append(
        SharedDescriptor(try FileDescriptor.pipe(containing: bytes.span, named: Phrase("value of \(name)"))))
    }
    request = .variables(VariablesRequest(names: names))
    self.values = values
  }
}

extension DaemonConnection {
  package borrowing func variables(neededAfter failure: Failure) throws(Failure) -> CallerVariables? {
    try CallerVariables(neededAfter: failure, over: self)
  }
}

extension FileDescriptor {
  /// Bytes that fit into a pipe (pipe(7)).
  private static let pipeCapacity = 32_768

  /// A pipe's reading end with these bytes, called `name` in errors.
  package static func pipe(containing bytes: Span<UInt8>, named name: Phrase) throws(Failure) -> FileDescriptor {
    guard bytes.count <= pipeCapacity else { throw Failure(.invalidRequest, Phrase("the \(name) is too long")) }
    do {
      let pipe = try Pipe()
      try pipe.writing.writeAll(bytes)
      return pipe.reading
    } catch {
      throw Failure(error, doing: "cannot pass the \(name) to the daemon")
    }
  }
}
