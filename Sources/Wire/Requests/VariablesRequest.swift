/// Hands over the values of variables, each in a descriptor beside the request, in the order of the names. They serve the
/// later requests of the connection, and are dropped when it closes.
package struct VariablesRequest: Sendable, Hashable {
  /// The most variables of one request.
  package static let mostNames = 4

  package let names: [String]

  package init(names: [String]) { self.names = names }

  init(_ members: RequestMembers) throws(Failure) {
    names = try members.texts("names")
    guard (1...Self.mostNames).contains(names.count) else {
      throw Failure(.invalidRequest, "the request names 1 to \(Self.mostNames) variables")
    }
  }

  func addMembers(to members: inout MemberWriter) { members.add("names", names) }
}

/// Returns which values of an environment contain a valid token, and the names of the variables that accounts set. The
/// request's descriptor has the values, each terminated by a NUL, which no value contains.
///
/// The result is `{"holding":[…],"mapped":[…]}`: the values that hold one, by their number from 0, and the names of the
/// variables.
package enum EnvironmentScreening {
  /// The most bytes of the values of one request, their NULs included. A variable has at most 131,072, where a page of memory
  /// has 4 KiB (execve(2)).
  package static let mostBytes = 196_608
  /// A shorter value is not looked at: no server makes tokens that can be guessed.
  package static let leastBytes = 16
}
