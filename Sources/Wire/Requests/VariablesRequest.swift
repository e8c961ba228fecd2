/// Passes environment variables, one value per descriptor, for later requests on the connection.
package struct VariablesRequest: RequestBody {
  package static let maximumCount = 4

  /// In the order of the descriptors.
  package private(set) var names: [String]

  package init(names: [String]) { self.names = names }
  package var properties: RequestProperties { RequestProperties("variables", [.local, .withoutSettings], about: .any) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitTexts(
      "names", &names,
      "The names, 1 to \(Self.maximumCount). A descriptor for each value follows, in this order.")
    try members.check(
      (1...Self.maximumCount).contains(names.count), Phrase("the request must name 1 to \(Self.maximumCount) variables")
    )
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Passes values of variables in the client's environment for later requests on the connection; they are dropped when"
        + " it closes. An error `assertion_needed` lists the missing ones in `variables`, a list of texts. The failed"
        + " request has had no effect and can be sent again after this one. A client sends only variables from such a list."
    )
  }
}

/// Finds environment values that contain an account's token. The descriptor has all values, each NUL-terminated. The
/// result has the indices of those found (`holding`) and the variable names that accounts' settings set (`mapped`).
package struct EnvironmentScreening: RequestBody {
  /// Of all values together.
  package static let maximumBytes = 196_608
  /// Shorter values are not checked; tokens are longer.
  package static let minimumValueBytes = 16
  package var properties: RequestProperties { RequestProperties("screen_environment", .local, about: .any) }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {}

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Finds the values of an environment that contain a token of any account, so that a child process gets none of them."
        + " A descriptor has the values, each followed by a NUL, at most \(Self.maximumBytes) bytes; split a larger"
        + " environment. A value may be the token or contain it, also percent-encoded, but not in base64. The search covers"
        + " the access, refresh and ID Tokens in the daemon's memory and up to four earlier ones of each session, but not"
        + " those of locked accounts.",
      result: [
        MemberDescription("holding", "list of numbers", "The values that contain a token, by their number from 0."),
        .texts("mapped", "The variables in the settings of all accounts (`agent account set --var`)."),
      ])
  }
}
