package import Platform

/// A connection that can be closed before it is destroyed.
package struct ClosableConnection: ~Copyable {
  private var connection: DaemonConnection?
  /// The file descriptor; nil once closed.
  package private(set) var number: Int32?

  package init(_ connection: consuming DaemonConnection) {
    number = connection.descriptor
    self.connection = .some(connection)
  }

  package mutating func send(_ request: RequestEnvelope, passing passed: [SharedDescriptor] = []) throws(Failure) {
    if number != nil { try connection!.send(request, passing: passed) }
  }

  /// The variables that a failed request needs; see ``CallerVariables/init(neededAfter:over:)``. Nil once closed.
  package mutating func variables(neededAfter failure: Failure) throws(Failure) -> CallerVariables? {
    number == nil ? nil : try CallerVariables(neededAfter: failure, over: connection!)
  }

  /// Reads once, blocking if nothing is available.
  package mutating func readMore() throws(Failure) {
    if number != nil { try connection!.readMore() }
  }

  /// The next line, if received.
  package mutating func takeReply() throws(Failure) -> Reply? {
    guard number != nil else { return nil }
    return try connection!.takeReply()
  }

  package mutating func close() {
    number = nil
    connection = nil
  }
}
