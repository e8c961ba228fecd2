internal import Encoding
internal import Platform
internal import Wire

/// The work of one command, made of a command line that was read whole. Nothing happens before it runs.
struct Action {
  /// Does the work and returns the exit status; what fails is thrown, and reported in one place.
  let run: () throws(Failure) -> Int32

  init(_ run: @escaping () throws(Failure) -> Int32) { self.run = run }

  /// Work that is done, with the exit status 0, when it returns.
  static func doing(_ work: @escaping () throws(Failure) -> Void) -> Action {
    Action { () throws(Failure) in
      try work()
      return 0
    }
  }

  /// Asks the daemon, and prints its result: with `--json` as it is, and else as the text that is made of it.
  static func ask(
    _ request: Request, _ client: DaemonClient, showing text: @escaping (JSONObject) -> String
  ) -> Action {
    .doing { () throws(Failure) in try client.console.answer(try client.ask(request), showing: text) }
  }

  /// Asks the daemon for a change, and tells a person what came of it.
  ///
  /// - Parameter secrets: The descriptors that go with the request; called before the daemon is asked.
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
