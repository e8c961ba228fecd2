extension ManualProtocol {
  static let resource = Description(
    name: "resource",
    purpose: "Makes a request to a resource with an account's token, which stays in the daemon. Tells the event"
      + " `response` when the head of the answer is there, and events `notice`.",
    members: [
      Member(
        "account", "text",
        "The account; without it the one that lists the origin of `url`. The active one counts no more than others."),
      Member("url", "text", "An https URL, at most 2048 bytes. Must be there."),
      Member("method", "text", "The method; without it `GET`, or `POST` when there is a body."),
      Member("headers", "list of texts", "Header fields, each `Name: value`."),
      Member(
        "body_descriptor", "boolean", "A descriptor from which the body to send can be read comes with this line."),
      Member(
        "wait", "number",
        "How many seconds to wait, before `timeout` begins, for a server that cannot be reached, 1 to 3600."),
      Member(
        "inline", "boolean",
        "No descriptors come with the line, as over a socket that is forwarded: the body of the answer comes in events"
          + " `body`, as fast as they are read."),
      Member("body", "text", "The body to send with an inline request, in base64; the line has its limit."),
      Member(
        "body_lines", "boolean",
        "The body to send with an inline request comes in lines `resource_body`, one after each event `body_wanted`."),
      Member(
        "idle", "number",
        "How many seconds nothing may move once the head of the answer is there, up to 86400; 0 is without a limit. Without"
          + " it `timeout` counts there too."),
      Member("no_redirects", "boolean", "A redirect is an answer, wherever it leads."),
    ] + tokenTarget,
    result: [
      Member("account", "text", "The account whose token was used."),
      Member("status", "number", "The status of the answer."),
      Member("body_bytes", "number", "How many bytes of body were written."),
      Member("problem", "object", "Why the answer is no success, as an error object."),
    ],
    note:
      "A pipe or a socket that the body of the answer is written to comes with the line, as `SCM_RIGHTS`; it is made"
      + " non-blocking. With `body_descriptor` the other one comes before it: each message carries one descriptor, so the"
      + " line is then sent in two. The body is complete when `body_bytes` bytes have been read. `timeout` is for how"
      + " long the token may take, and then for how long nothing may move. Closing the connection ends the request.")

  static let resourceBody = Description(
    name: "resource_body",
    purpose:
      "Brings a part of a body, on the connection of a `resource` with `body_lines`, after an event `body_wanted`."
      + " There is no answer to it. One that comes after the last line of that request fails with `invalid_request`.",
    members: [
      Member("base64", "text", "The part, at most 192 KiB, in base64; without it there is none."),
      Member("end", "boolean", "It is the last one."),
    ],
    result: [])

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
}
