/// Hands over the values of variables, each in a descriptor beside the request, in the order of the names. They serve the
/// later requests of the connection, and are dropped when it closes.
package struct VariablesRequest: RequestBody {
  /// The most variables of one request.
  package static let mostNames = 4

  package private(set) var names: [String]

  package init(names: [String]) { self.names = names }

  package var request: Request { .variables(self) }
  package var row: RequestRow { RequestRow("variables", [.local, .withoutSettings], about: .any) }

  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {
    try members.texts(
      "names", &names,
      "The names, 1 to \(Self.mostNames). A descriptor for each value follows, in this order. Required.")
    try members.check(
      (1...Self.mostNames).contains(names.count), Phrase("the request names 1 to \(Self.mostNames) variables"))
  }

  package var page: RequestPage {
    RequestPage(
      "Passes values of variables in the client's environment for later requests on the connection; they are dropped when"
        + " it closes. An error `assertion_needed` lists the missing ones in `variables`, a list of texts. The failed"
        + " request has had no effect and can be sent again after this one. A client sends only variables from such a list."
    )
  }
}

/// Returns which values of an environment contain a valid token, and the names of the variables that accounts set. The
/// request's descriptor has the values, each terminated by a NUL, which no value contains.
///
/// The result is `{"holding":[…],"mapped":[…]}`: the values that hold one, by their number from 0, and the names of the
/// variables.
package struct EnvironmentScreening: RequestBody {
  /// The most bytes of the values of one request, their NULs included. A variable has at most 131,072, where a page of memory
  /// has 4 KiB (execve(2)).
  package static let mostBytes = 196_608
  /// A shorter value is not looked at: no server makes tokens that can be guessed.
  package static let leastBytes = 16

  package init() {}

  package var request: Request { .screenEnvironment(self) }
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
