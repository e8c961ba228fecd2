package import Platform
package import Wire

/// The variables of this process that a request lacked. After passing them, the same request can be repeated over the
/// same connection: a request that failed for this reason had no effect.
package struct CallerVariables: Sendable {
  /// The request that passes them.
  package let request: Request
  /// Their values, each in a pipe, to be sent with the request.
  package let values: [SharedDescriptor]

  /// - Parameters:
  ///   - failure: The failure of the request.
  ///   - connection: The connection of the request.
  /// - Returns: Nil if the request failed for another reason, this process does not have all of them, or the daemon
  ///   belongs to another user, which must not see the environment.
  /// - Throws: `invalid_request` for a value that is too long for an assertion.
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
  /// The capacity of a pipe that is not read (pipe(7)), far more than any secret needs.
  private static let mostPiped = 32_768

  /// Returns the reading end of a pipe that contains these bytes.
  package static func pipe(holding bytes: Span<UInt8>, called name: Phrase) throws(Failure) -> FileDescriptor {
    guard bytes.count <= mostPiped else { throw Failure(.invalidRequest, Phrase("the \(name) is too long")) }
    do {
      let pipe = try Pipe()
      try pipe.writing.writeAll(bytes)
      return pipe.reading
    } catch {
      throw Failure(error, doing: "cannot pass the \(name) to the daemon")
    }
  }
}
