/// The topic of options of the command line: the help and the manual list those of a group together, under its title.
package enum OptionGroup: String, CaseIterable, Sendable {
  case service = "Which account and service"
  case signIn = "How to sign in"
  case signOut = "How to sign out"
  case access = "What to ask for"
  case client = "How the client proves itself"
  case endpoints = "Endpoints"
  case message = "What is sent"
  case keys = "Which keys"
  case rules = "What a token must be"
  case renewal = "When a token is renewed"
  case variables = "Variables"
  case network = "Network"
  case protection = "Protection"
  case output = "What is shown"
  case scripts = "For scripts"
  case common = "Every command"
}
