internal import Encoding
internal import Wire

extension DaemonCommand {
  @Sendable static func log(_ invocation: Invocation) throws(Failure) -> Int32 {
    try refuseNoDaemon(invocation)
    let result = try ask(.daemonLog, invocation, start: false)
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      try Console.answer(logText(result))
    }
    return 0
  }

  /// A line for each event.
  static func logText(_ result: JSONObject) -> String {
    var text = ""
    if let dropped = result["dropped"]?.int, dropped > 0 { text += "(\(dropped) earlier events are not kept)\n" }
    for event in result["events"]?.array ?? [] {
      text += (LogEntry(json: event)?.text ?? "(an event that this program does not know)") + "\n"
    }
    return text
  }
}
