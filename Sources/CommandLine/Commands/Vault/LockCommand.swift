internal import AgentSocket
internal import Encoding
internal import Vocabulary
internal import Wire

/// `agent lock` and `agent unlock`.
enum LockCommand {
  static func lock(_ invocation: Invocation) throws(Failure) -> Action {
    let client = try sharedDaemon(invocation)
    return .doing { () throws(Failure) in
      // If no daemon runs, nothing is unlocked.
      var result = JSONObject([("locked", .array([]))])
      if let connection = try DaemonLauncher.connect(client.console) {
        result = try connection.lent { (connection) throws(Failure) in
          try client.ask(.vault(.lock), over: &connection)
        }
      }
      try client.console.confirm(result) {
        $0["locked"]?.array?.isEmpty == false ? Phrase("locked") : Phrase("nothing to lock")
      }
    }
  }

  static func unlock(_ invocation: Invocation) throws(Failure) -> Action {
    let client = try sharedDaemon(invocation)
    let account = try invocation.namedAccount()
    let unlocking = try Unlocking(invocation, client)
    return .doing { () throws(Failure) in
      let opened = try client.converse { (connection) throws(Failure) in
        try unlocking.open(account, over: &connection)
      }
      let result = JSONObject([("unlocked", .array(opened.map { .string($0.rawValue) }))])
      try client.console.confirm(result) { _ in opened.isEmpty ? Phrase("nothing is locked") : Phrase("unlocked") }
    }
  }

  private static func sharedDaemon(_ invocation: Invocation) throws(Failure) -> DaemonClient {
    let client = DaemonClient(invocation)
    guard !client.isPrivate else {
      throw Failure(.invalidRequest, "a private agentd ends with its command, so there is nothing to lock or unlock")
    }
    return client
  }
}
