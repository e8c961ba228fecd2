internal import Encoding
internal import Platform
internal import Wire

/// The action of a command, created once its command line is fully parsed. Nothing happens before it runs.
struct Action {
  /// Runs the action and returns the exit status. Errors are thrown, and reported by the caller.
  let run: () throws(Failure) -> Int32

  init(_ run: @escaping () throws(Failure) -> Int32) { self.run = run }

  /// An action that exits with status 0 when `work` returns.
  static func doing(_ work: @escaping () throws(Failure) -> Void) -> Action {
    Action { () throws(Failure) in
      try work()
      return 0
    }
  }

  /// Asks the daemon and prints its result: as JSON with `--json`, otherwise as text.
  static func ask(
    _ request: Request, _ client: DaemonClient, showing text: @escaping (JSONObject) -> String
  ) -> Action {
    .doing { () throws(Failure) in try client.console.answer(try client.ask(request), showing: text) }
  }

  /// Asks the daemon for a change, and prints a confirmation.
  ///
  /// - Parameter secrets: Returns the descriptors to send with the request; called before the daemon is asked.
  static func change(
    _ request: Request, _ client: DaemonClient,
    bringing secrets: @escaping () throws(Failure) -> [SharedDescriptor] = { [] },
    noting note: @escaping (JSONObject) -> Phrase
  ) -> Action {
    .doing { () throws(Failure) in
      try client.console.confirm(try client.ask(request, passing: try secrets()), note)
    }
  }
}
