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
