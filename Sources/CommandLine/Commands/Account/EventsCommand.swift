internal import Encoding
internal import Platform
internal import Wire

enum EventsCommand {
  static let events = Command(
    .events,
    summary: "Show events of sessions and accounts",
    options: [
      Option.follow.declaration, Option.utc.declaration,
      Option.lease.withSummary("Show the events of leases", in: .output), Option.notices.declaration,
    ],
    operands: .account,
    examples: [
      Example(
        "Print each account when it is signed out",
        #"agent events --follow --json | jq --unbuffered -r 'select(.event == "signed_out") | .account'"#),
      Example("Show the last events of one account", "agent events work"),
      Example("Show a desktop notice whenever a session ends", "agent events --notify on"),
    ],
    refusing: [Option.noDaemon.declaration],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let client = DaemonClient(invocation)
    if let choice = invocation[.notices] { return try setNotices(choice, client, invocation) }
    // AGENT_ACCOUNT does not filter the events.
    var request = EventsRequest(account: try invocation.namedAccount(), follows: invocation[.follow])
    request.forLeases = invocation[.lease]
    if request.forLeases, request.account != nil {
      throw Failure(
        .invalidRequest, "\"--lease\" shows the events of all leases and cannot be combined with an account")
    }
    let presentation = Presentation.current.inUTC(invocation[.utc])
    let hasEnd = invocation[.timeout] != nil
    return .doing { () throws(Failure) in
      if request.follows {
        try follow(
          request, client, presentation, until: hasEnd ? client.deadline(of: .events(request)) : .distantFuture)
      } else {
        try printRecent(request, client, presentation)
      }
    }
  }

  private static func setNotices(
    _ choice: NoticeChoice, _ client: DaemonClient, _ invocation: Invocation
  ) throws(Failure) -> Action {
    guard try invocation.namedAccount() == nil else {
      throw Failure(.invalidRequest, "the notices are about all accounts: name none")
    }
    let isOn = choice == .on
    return .doing { () throws(Failure) in
      if isOn { _ = try notifySendPath() }
      let result = try client.ask(.state(.setNotifier(program: isOn ? Machine.executablePath() : nil)))
      try client.console.confirm(result) { _ in
        isOn ? Phrase("the desktop shows a notice when a session ends") : Phrase("no more notices when a session ends")
      }
    }
  }

  static func notifySendPath() throws(Failure) -> String {
    guard let program = Spawn.search("notify-send") else {
      throw Failure(
        .invalidConfiguration, "\("notify-send") is not in PATH", hint: "install libnotify-bin, or libnotify")
    }
    return program
  }

  private static func printRecent(
    _ request: EventsRequest, _ client: DaemonClient, _ presentation: Presentation
  ) throws(Failure) {
    let result = try client.askWithoutStarting(.events(request))
    let events = result["events"]?.array ?? []
    if let dropped = result["dropped"]?.int, dropped > 0 {
      client.console.note("\(dropped) earlier events were discarded")
    }
    guard !request.forLeases else {
      let entries = events.compactMap { LeaseEntry(json: $0) }
      return try Console.answer(entries.map { line($0.json, $0.text(presentation.stamp), client.console) }.joined())
    }
    let entries = events.compactMap { SessionEntry(json: $0) }
    try Console.answer(entries.map { line($0.json, $0.text(presentation.stamp), client.console) }.joined())
  }

  /// The JSON with `--json`, otherwise the text.
  private static func line(_ json: JSONObject, _ text: String, _ console: Console) -> String {
    guard console.usesJSON else { return text + "\n" }
    return String(decoding: JSON.object(json).serialized(), as: UTF8.self) + "\n"
  }

  /// Throws if the daemon stops or the deadline passes.
  private static func follow(
    _ request: EventsRequest, _ client: DaemonClient, _ presentation: Presentation, until deadline: Instant
  ) throws(Failure) {
    var connection = try DaemonLauncher.connectOrStart(client.console)
    _ = client.logRequest(.events(request))
    try connection.send(client.envelope(.events(request)))
    while true {
      switch try connection.nextReply(before: deadline) {
      case .event(.session(let entry)):
        if let entry { try Console.answer(line(entry.json, entry.text(presentation.stamp), client.console)) }
      case .event(.leaseEntry(let entry)):
        if let entry { try Console.answer(line(entry.json, entry.text(presentation.stamp), client.console)) }
      case .event(let event): client.console.report(event)
      case .failure(let failure): throw failure
      case .result: return
      }
    }
  }
}
