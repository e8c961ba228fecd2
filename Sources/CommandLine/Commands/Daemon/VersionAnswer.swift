internal import Encoding
internal import Wire

/// `agent --version`.
enum VersionAnswer {
  /// Prints the version; `--json` adds the commit and the running daemon's details.
  static func print(_ invocation: Invocation) throws(Failure) {
    guard invocation[.json] else {
      return try Console.answer("\(ProgramName.current.text) \(Product.version)\n")
    }
    var object = JSONObject([("version", .string(Product.version))])
    object["commit"] = Product.commit.map { .string($0) }
    // A private daemon is part of this command.
    if !invocation[.noDaemon] { object["daemon"] = daemon(DaemonClient(invocation)).map { .object($0) } }
    try Console.answer(object)
  }

  /// The running daemon's details or failure; nil if none runs.
  private static func daemon(_ client: DaemonClient) -> JSONObject? {
    do {
      guard var connection = try DaemonLauncher.connect(client.console) else { return nil }
      let status = try client.ask(.daemon(.status), over: &connection)
      var object = JSONObject()
      for name in ["version", "commit", "libraries"] { object[name] = status[name] }
      return object
    } catch {
      return JSONObject([("problem", error.json)])
    }
  }
}
