/// Passes environment variables, one value per descriptor, for later requests on the connection. They are dropped when
/// it closes.
package struct VariablesRequest: RequestBody {
  package static let mostNames = 4

  /// In the order of the descriptors.
  package private(set) var names: [String]

  package init(names: [String]) { self.names = names }
  package var row: RequestRow { RequestRow("variables", [.local, .withoutSettings], about: .any) }

  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {
    try members.texts(
      "names", &names,
      "The names, 1 to \(Self.mostNames). A descriptor for each value follows, in this order. Required.")
    try members.check(
      (1...Self.mostNames).contains(names.count), Phrase("the request must name 1 to \(Self.mostNames) variables"))
  }

  package var page: RequestPage {
    RequestPage(
      "Passes values of variables in the client's environment for later requests on the connection; they are dropped when"
        + " it closes. An error `assertion_needed` lists the missing ones in `variables`, a list of texts. The failed"
        + " request has had no effect and can be sent again after this one. A client sends only variables from such a list."
    )
  }
}

/// Finds values that contain a valid token. The descriptor contains the values, each terminated by a NUL.
///
/// The result is `{"holding":[…],"mapped":[…]}`: the indices of such values, and the names of the variables that
/// accounts set.
package struct EnvironmentScreening: RequestBody {
  /// The maximum size of all values including NULs, in bytes. A variable has at most 131,072 bytes with memory pages of
  /// 4 KiB (execve(2)).
  package static let mostBytes = 196_608
  /// The minimum length of a value to check, in bytes. Real tokens are longer.
  package static let leastBytes = 16
  package var row: RequestRow { RequestRow("screen_environment", .local, about: .any) }

  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {}

  package var page: RequestPage {
    RequestPage(
      "Finds the values of an environment that contain a token of any account, so that a child process gets none of them."
        + " A descriptor has the values, each followed by a NUL, at most \(Self.mostBytes) bytes; split a larger"
        + " environment. A value may be the token or contain it, also percent-encoded, but not in base64. The search covers"
        + " the access, refresh and ID Tokens in the daemon's memory and up to four earlier ones of each session, but not"
        + " those of locked accounts.",
      result: [
        MemberRow("holding", "list of numbers", "The values that contain a token, by their number from 0."),
        MemberRow(
          "mapped", "list of texts", "The variables in the settings of all accounts (`agent account set --var`)."),
      ])
  }
}
