internal import Wire

extension ManualProtocol {
  static let sessionEvents = Description(
    name: "events",
    purpose: "Tells what happened to sessions and accounts; or, with `follow`, what happens from now on: the event"
      + " `following`, and then events `session`, or `lease_entry`, until the client goes or the daemon stops.",
    members: [
      Member("account", "text", "Only what concerns this account; without it everything."),
      Member(
        "follow", "boolean", "Tell what happens from now on. There is no deadline then unless `timeout` is there."),
      Member(
        "leases", "boolean", "Tell the events of leases, not those of sessions; with `follow` as events `lease_entry`."),
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

  static let lease = Description(
    name: "lease",
    purpose:
      "Lends requests with an account's token to the peers of a socket, which listens and comes with the line as"
      + " `SCM_RIGHTS`. A peer may make the requests `resource` and `lease_status` and no other, and `token` where that is"
      + " said. Tells an event `lease`"
      + " when it is open and after each request of a peer. It ends with the connection.",
    members: [
      account,
      Member(
        "places", "list of texts",
        "Hosts, origins or URLs for all below them, of origins that the account lists; without it all of these."),
      Member("methods", "list of texts", "The methods that peers may send; without it all."),
    ] + tokenTarget + [
      Member("uses", "number", "How many requests may be made, 1 to 1000000."),
      Member("expires_in", "number", "After how many seconds it ends, 1 to 604800."),
      Member(
        "hand_out_token", "boolean",
        "A peer gets the token too, if the server says that it has no scope beyond that of `scope`, which must be there."
      ),
      Member(
        "confirm", "boolean",
        "The first request for each origin, and for the token, waits for `lease_answer` after an event `lease_question`."
      ),
      Member("users", "list of numbers", "Users whose processes may come, besides the daemon's own; at most 16."),
    ],
    result: [],
    note: "There is no result: the request ends with an error, `lease_ended` when its time or its uses are over. For a"
      + " peer everything that is not permitted fails with `not_permitted`, in the same words whether the daemon knows"
      + " it or not. A peer names no account, and gets `lease` in its place. At most 16 leases are open, with 32"
      + " connections each and 64 in all.")

  static let leaseAnswer = Description(
    name: "lease_answer",
    purpose:
      "Answers an event `lease_question`, on the connection of `lease`. There is no answer to it. One that comes later than"
      + " a minute has no effect: the requests that waited were refused.",
    members: [
      Member("question", "number", "As in the event. Must be there."),
      Member("allow", "boolean", "Whether requests for the origin are permitted, as long as there is the lease."),
    ],
    result: [])

  static let leaseStatus = Description(
    name: "lease_status",
    purpose: "Tells a peer what the lease permits by which it came. Elsewhere it fails with `invalid_request`.",
    members: [],
    result: [
      Member("lease", "text", "The name of the lease in its events, 16 hexadecimal digits."),
      Member("places", "list of texts", "The places that may be asked."),
      Member("methods", "list of texts", "The methods; absent when all are permitted."),
      Member("expires_in", "number", "How many seconds are left; absent without a limit."),
      Member("uses_left", "number", "How many requests are left; absent without a limit."),
      Member("hand_out_token", "boolean", "A peer may ask for the token."),
    ])

  /// The events of these requests.
  static let sessionEventLines: [Description] = [
    Description(
      name: "lease",
      purpose: "A lease is open, or a peer's request was answered.",
      members: [
        Member("lease", "text", "Its name in the events of leases."),
        Member("account", "text", "The account, by the name that it has now."),
        Member("uses_left", "number", "How many requests are left; absent without a limit."),
      ]),
    Description(
      name: "lease_question",
      purpose: "A peer's request waits for the person's word.",
      members: [
        Member("question", "number", "Its number, for `lease_answer`."),
        Member("method", "text", "The method of the request, or `token` for the token itself."),
        Member("origin", "text", "The origin that it is for; absent for the token."),
        Member("pid", "number", "The process of the peer, 0 where it is not seen from here."),
        Member("uid", "number", "Its user."),
      ]),
    Description(
      name: "following", purpose: "From now on all that happens is told.", members: []),
    Description(
      name: "session",
      purpose: "Something happened to a session or an account. Nothing in it is secret.",
      members: [Member("entry", "object", "One event, as the request `events` tells them.")]),
    Description(
      name: "lease_entry",
      purpose: "Something happened to a lease.",
      members: [Member("entry", "object", "One event, as the request `events` tells them with `leases`.")]),
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
