package import Vocabulary

extension LoopbackPage {
  static let signedInTitle = Phrase("Signed in")
  static let thisMachine = Phrase("this machine")

  /// The page's text after a sign-in by `person`, if known.
  static func signedInText(_ issuer: String, _ person: String?, _ account: String, _ machine: Phrase) -> Phrase {
    guard let person else {
      return "You are signed in to \(issuer). The account on \(machine) is \(account). You can close this tab."
    }
    return
      "You are signed in to \(issuer) as \(person). The account on \(machine) is \(account). You can close this tab."
  }

  /// All phrases of the pages, for translation.
  package static let phrases: [Phrase] =
    allCases.flatMap { [$0.titleAndText.title, $0.titleAndText.text] } + [
      signedInTitle, signedInText("", nil, "", thisMachine), signedInText("", "", "", thisMachine), thisMachine,
      failed("").titleAndText.text,
    ]

  var titleAndText: (title: Phrase, text: Phrase) {
    switch self {
    case .received:
      (
        "Return to the terminal",
        "Done. Your terminal shows the result; you can close this tab."
      )
    case .failed(let reason):
      (
        "The sign-in did not work",
        reason.map { "Reason: \($0). Your terminal shows what to do next; you can close this tab." }
          ?? "Your terminal shows the reason; you can close this tab."
      )
    case .foreign:
      (
        "This was another sign-in",
        "Your terminal still waits. Continue on the page that was opened last; you can close this tab."
      )
    case .linkUsed:
      (
        "This link was used",
        "It leads to the sign-in once. If you have not opened it, end the sign-in in your terminal and start again."
      )
    case .notFound: ("Nothing here", "There is nothing at this address.")
    case .methodNotAllowed: ("Not possible", "This address can only be opened.")
    case .malformed: ("Not understood", "The request could not be read.")
    case .tooLarge: ("Too large", "The request is too large.")
    }
  }
}
