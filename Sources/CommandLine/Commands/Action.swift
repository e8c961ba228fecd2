internal import Encoding
internal import Wire

/// The work of one command, made of a command line that was read whole. Nothing happens before it runs.
struct Action {
  /// Does the work and returns the exit status; what fails is thrown, and reported in one place.
  let run: () throws(Failure) -> Int32

  init(_ run: @escaping () throws(Failure) -> Int32) { self.run = run }

  /// Asks the daemon, and prints its result: with `--json` as it is, and else as the text that is made of it.
  static func ask(
    _ request: Request, _ client: DaemonClient, showing text: @escaping (JSONObject) -> String
  ) -> Action {
    Action { () throws(Failure) in
      try client.console.answer(try client.ask(request), showing: text)
      return 0
    }
  }
}
