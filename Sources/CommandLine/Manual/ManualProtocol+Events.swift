internal import Wire

extension ManualProtocol {
  static let sessionEvents = Description(
    name: "events",
    purpose: "Tells what happened to sessions and accounts; or, with `follow`, what happens from now on: the event"
      + " `following`, and then events `session`, until the client goes or the daemon stops.",
    members: [
      Member("account", "text", "Only what concerns this account; without it everything."),
      Member(
        "follow", "boolean", "Tell what happens from now on. There is no deadline then unless `timeout` is there."),
    ],
    result: [
      Member(
        "events", "list of objects",
        "The oldest first; see `agent events` in agent(1). A client leaves out an event that it does not know."),
      Member("dropped", "number", "How many earlier events are no longer kept."),
    ],
    note:
      "With `follow` the last line is always an error. At most 32 requests can follow. A client that does not read is"
      + " let go.")

  static let tokenFile = Description(
    name: "token_file",
    purpose:
      "Puts an account's token into a file in the runtime directory and keeps it fresh there. Tells an event"
      + " `token_file` each time it has changed. The file is gone when the connection is closed.",
    members: [
      account,
      Member(
        "name", "text",
        "The name of a file that a daemon before this one wrote, to be written again; without it a new one."),
      Member("use", "text", "`access_token` or `id_token`: which token; by default the access token."),
    ],
    result: [],
    note: "There is no result: the request ends with the connection, or with an error. There is no deadline unless"
      + " `timeout` is there. At most 32 files are kept.")

  /// The events of these requests.
  static let sessionEventLines: [Description] = [
    Description(
      name: "following", purpose: "From now on all that happens is told.", members: []),
    Description(
      name: "session",
      purpose: "Something happened to a session or an account. Nothing in it is secret.",
      members: [Member("entry", "object", "One event, as the request `events` tells them.")]),
    Description(
      name: "token_file",
      purpose:
        "A token file was written, or is gone because nobody is signed in or the account is locked; then it comes"
        + " back by itself.",
      members: [
        Member("account", "text", "The account, by the name that it has now."),
        Member("path", "text", "The file, by its absolute path, which does not change."),
        Member("state", "text", "`written` or `removed`."),
        Member("code", "text", "Why it is gone: `signed_out`, `locked` or another error code."),
        Member("expires_at", "number", "When the token in it expires; absent when the server named no lifetime."),
      ]),
  ]
}
