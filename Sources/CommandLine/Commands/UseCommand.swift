internal import Encoding
internal import Wire

/// `agent use`.
enum UseCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    guard let account = try invocation.namedAccount() else {
      throw Failure(.invalidRequest, "no account is named")
    }
    let client = DaemonClient(invocation)
    let result = try client.ask(.use(account: account))
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      client.console.note("\(result["account"]?.string ?? account) is the active account now")
    }
    return 0
  }
}
