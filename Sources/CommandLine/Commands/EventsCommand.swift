internal import AgentSocket
internal import Encoding
internal import Platform
internal import Wire

/// `agent events`.
enum EventsCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    if invocation.has(.noDaemon) {
      throw Failure(.invalidRequest, "a private daemon has no events to tell: leave \"--no-daemon\" out")
    }
    // A variable that a shell carries along for tokens is no wish to be told less.
    let request = EventsRequest(account: try invocation.namedAccount(), follow: invocation.has(.follow))
    if request.follow { try follow(request, invocation) } else { try tellRecent(request, invocation) }
    return 0
  }

  private static func tellRecent(_ request: EventsRequest, _ invocation: Invocation) throws(Failure) {
    let result = try DaemonCommand.ask(.events(request), invocation, start: false)
    var text = ""
    for event in result["events"]?.array ?? [] {
      guard let entry = SessionEntry(json: event) else { continue }
      text += line(entry, invocation)
    }
    if let dropped = result["dropped"]?.int, dropped > 0 {
      Console(invocation).note("\(dropped) earlier events are not kept")
    }
    try Console.answer(text)
  }

  private static func line(_ entry: SessionEntry, _ invocation: Invocation) -> String {
    guard invocation.has(.json) else { return entry.text + "\n" }
    return String(decoding: JSON.object(entry.json).serialized(), as: UTF8.self) + "\n"
  }

  /// Returns when the daemon has no more to tell. That it stops, or that the time given has passed, is an error; whoever
  /// reads may end it sooner.
  private static func follow(_ request: EventsRequest, _ invocation: Invocation) throws(Failure) {
    let client = DaemonClient(invocation)
    var connection = try DaemonLauncher.connectOrStart(client.console)
    _ = client.tellAsking(.events(request))
    try connection.send(client.envelope(.events(request)))
    while true {
      let reply = try connection.nextLine(before: .distantFuture) { (line) throws(Failure) in
        try Reply(parsing: line)
      }
      switch reply {
      case .event(.session(let entry)): if let entry { try Console.answer(line(entry, invocation)) }
      case .event(let event): client.tell(event)
      case .failure(let failure): throw failure
      case .result: return
      }
    }
  }
}
