internal import AgentSocket
internal import Encoding
internal import Wire

/// `agent lock` and `agent unlock`.
enum LockCommand {
  @Sendable static func lock(_ invocation: Invocation) throws(Failure) -> Int32 {
    try refuseNoDaemon(invocation)
    let client = DaemonClient(invocation)
    // Where no daemon runs nothing is open.
    var result = JSONObject([("locked", .array([]))])
    if var connection = try DaemonLauncher.connect(client.console) {
      result = try client.ask(.vault(.lock), over: &connection)
      connection.finish()
    }
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      let isAny = result["locked"]?.array?.isEmpty == false
      client.console.note(isAny ? "locked" : "nothing is locked by a passphrase or a PIN that was open")
    }
    return 0
  }

  @Sendable static func unlock(_ invocation: Invocation) throws(Failure) -> Int32 {
    try refuseNoDaemon(invocation)
    try SharedInput.refuse(invocation)
    let client = DaemonClient(invocation)
    let account = try invocation.namedAccount()
    let opened = try client.conversing { (connection) throws(Failure) in
      try Unlocking(invocation: invocation, client: client).open(account, over: &connection)
    }
    if invocation.has(.json) {
      try Console.answer(JSONObject([("unlocked", .array(opened.map { .string($0.rawValue) }))]))
    } else {
      client.console.note(opened.isEmpty ? "nothing is locked" : "unlocked")
    }
    return 0
  }

  private static func refuseNoDaemon(_ invocation: Invocation) throws(Failure) {
    guard invocation.has(.noDaemon) else { return }
    throw Failure(.invalidRequest, "a private agentd ends with its command, so there is nothing to lock or unlock")
  }
}
