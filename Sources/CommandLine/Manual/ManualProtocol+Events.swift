internal import Wire

extension ManualProtocol {
  /// The client that asks, and the scopes that it asks for.
  private static let signIn = [
    Member("login", "text", "The sign-in, by 128 random bits."),
    Member("account", "text", "The account."),
    Member("issuer", "text", "Its authorization server."),
    Member("client_id", "text", "The client that asks."),
    Member("scope", "text", "What it asks for."),
  ]

  static let events: [Description] =
    [
      response, body, bodyWanted,
      Description(
        name: "device_code",
        purpose: "A person must open an address and type a code; see RFC 8628, section 3.3.",
        members: signIn + [
          Member("user_code", "text", "The code, as the server spells it."),
          Member("verification_uri", "text", "The address."),
          Member("verification_uri_complete", "text", "The address with the code in it."),
          Member("expires_at", "number", "When the code expires."),
          Member("interval", "number", "Seconds between two questions of the daemon to the server."),
        ]),
      Description(
        name: "qr_code",
        purpose: "The address of the event before as a QR code, `verification_uri_complete` if there is one.",
        members: [
          Member(
            "rows", "list of texts",
            "The rows from the top, each as long as there are rows: `1` is a dark module, `0` a light one.")
        ]),
      Description(
        name: "browser",
        purpose: "A person must open an address in a browser; see RFC 6749, section 4.1.",
        members: signIn + [
          Member("url", "text", "The address. The daemon opens nothing itself."),
          Member(
            "link_url", "text",
            "An address at 127.0.0.1 or [::1] that leads there once, for the command line of a browser, which all users"
              + " of the machine can read; who opens the address by hand has no use for it. Absent where the daemon"
              + " cannot tell whose a connection is; only this user's are served otherwise."),
          Member("redirect_uri", "text", "Where the browser brings the answer."),
          Member(
            "must_paste", "boolean", "Nothing listens there, so a `login_redirect` request must bring the answer."),
          Member("expires_at", "number", "When nobody waits for the answer any more."),
          Member("url_expires_at", "number", "Until when the address can be opened, where that is sooner."),
        ]),
      Description(
        name: "confirm",
        purpose: "The answer came, but it cannot be told whether from a program of this user: somebody else may have"
          + " signed in. Nothing is stored before a `login_confirm` request.",
        members: [
          Member("login", "text", "The sign-in."), Member("account", "text", "The account."),
          Member("issuer", "text", "Its authorization server."),
          Member("subject", "text", "Who signed in, by the ID Token; absent without one."),
          Member("name", "text", "The same for people, where the ID Token says it."),
          Member("expires_at", "number", "When nobody waits for the answer any more."),
        ]),
      Description(
        name: "redirect_refused",
        purpose: "The address that was handed over on this connection is not the answer; the sign-in goes on waiting.",
        members: [
          Member("code", "text", "`redirect_rejected`."),
          Member("message", "text", "What is wrong, safe to show on a terminal."),
          Member("hint", "text", "What helps."),
        ]),
      Description(
        name: "notice",
        purpose: "Something worth knowing that is not the answer.",
        members: [Member("message", "text", "One sentence, safe to show on a terminal.")]),
      Description(
        name: "progress",
        purpose: "What is done for a request with `verbose`, and why. Nothing in it is secret.",
        members: [Member("entry", "object", "One event, as `daemon_log` tells them.")]),
    ] + sessionEventLines

  static let bodyWanted = Description(
    name: "body_wanted", purpose: "The next part of the body may be sent, in a line `resource_body`.", members: [])

  static let body = Description(
    name: "body",
    purpose: "A part of the body of a resource's answer to an inline request, in order.",
    members: [Member("base64", "text", "At most 48 KiB of it, in base64.")])

  static let response = Description(
    name: "response",
    purpose: "The head of a resource's answer. What is written to the descriptor from now on is its body.",
    members: [
      Member("status", "number", "The status."),
      Member("headers", "list of lists", "For each header field its name and its value, in the server's order."),
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
