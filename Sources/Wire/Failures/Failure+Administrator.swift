internal import Encoding

extension Failure {
  /// The failure for an invalid administrator's file.
  package init(_ problem: AdministratorFiles.Problem) {
    self.init(.invalidConfiguration, problem.text, hint: problem.remedy.map { .command($0) })
  }

  /// The failure for a provider that is neither built in nor defined by a valid file.
  package static func unknownProvider(_ name: String) -> Failure {
    if let problem = AdministratorFiles.current.problem(of: name) { return Failure(problem) }
    return Failure(
      .invalidRequest, "unknown provider \"\(TerminalText.clean(name, limit: 64))\"",
      hint: Phrase.didYouMean(name, among: Provider.names) ?? "agent help providers")
  }
}
