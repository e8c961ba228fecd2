internal import Vocabulary
internal import Wire

/// The socket protocol for agentd(8).
enum ManualProtocol {
  typealias Member = Manual.Member

  // MARK: Blocks

  static let protocolBlocks: [ManualBlock] = [
    .text(
      "The socket is a stream socket of the family `AF_UNIX`. Each line is one JSON object in UTF-8, at most"
        + " \(WireProtocol.maximumLineBytes) bytes with its line feed. This is version \(WireProtocol.version). Within a"
        + " version members and events are only added, so a client ignores those it does not know."),
    .text(
      "A request is one line. The answer is any number of event lines and one last line, which holds either `result` or"
        + " `error`."),
    .code([
      #"{"v":1,"request":"token","account":"work","min_valid":300,"timeout":20}"#,
      #"{"v":1,"result":{"account":"work","issuer":"https://id.example.com","access_token":"...", ...}}"#,
    ]),
    .text("Every request has these members."),
    .members(RequestEnvelope.memberRows),
    .text(
      "A connection may carry several requests. They are answered one after the other, in their order. It stays open as"
        + " long as the client keeps its end open in both directions: a client that closes its sending side is taken to"
        + " be gone, and what it waits for is given up. The daemon closes a connection on which nothing was asked for a"
        + " minute, on which a line takes longer than \(WireProtocol.requestLineSeconds) seconds to arrive, or from which"
        + " answers are not read. Times are unix seconds. A text is at most 4096 bytes, a list has at most 64 elements;"
        + " `null` is the same as an absent member."),
  ]

  static var requestBlocks: [ManualBlock] {
    Request.declarations.flatMap { request -> [ManualBlock] in
      let (page, members) = (request.page, members(of: request))
      var blocks: [ManualBlock] = [.heading(request.row.name), .text(page.purpose)]
      if !members.rows.isEmpty { blocks += [.text("Members:"), .members(members.rows)] }
      if members.hasSettings { blocks.append(.text("The settings, as in `login`, are members, too.")) }
      if page.hasResult {
        blocks +=
          page.result.isEmpty
          ? [.text("The result is an empty object.")]
          : [.text("Result:"), .members(page.result.flatMap { $0.flattened() })]
      }
      if let note = page.note { blocks.append(.text(note)) }
      return blocks
    }
  }

  /// The members of a request. All settings are listed only for `login`.
  static func members(of request: any RequestBody) -> (rows: [Member], hasSettings: Bool) {
    let entries = request.memberEntries
    let isListed = request is LoginRequest || !entries.contains(.setting(AccountSetting.issuer))
    let rows = entries.compactMap { entry -> Member? in
      switch entry {
      case .row(let row): row
      case .setting(let setting): isListed ? Member(setting) : nil
      }
    }
    return (rows, !isListed)
  }

  static var eventBlocks: [ManualBlock] {
    [.text("An event line has the member `event`, which says what it is, beside `v`.")]
      + Event.declarations.flatMap { event -> [ManualBlock] in
        let rows = event.memberRows
        return [.heading(event.row.name), .text(event.row.purpose)] + (rows.isEmpty ? [] : [.members(rows)])
      }
  }

  static var errorBlocks: [ManualBlock] {
    [
      .text(
        "An `error` holds `code`, `message`, one sentence for people, and where something helps `hint`, mostly a command."
          + " Both are in English. Where there are values in them, `message_template` and `hint_template` are the same with"
          + " `%1$s`, `%2$s` and so on in the places of the values, and `message_values` and `hint_values` the list of these:"
          + " texts, or objects with a `template` and `values` of their own. So a client can tell them in another language;"
          + " it puts the values into these places and does nothing else with a template. The `message` of a notice, and"
          + " `detail` and `client_detail` of a result, have the same members beside them."
          + " A value may also be a command that is the one that failed with other options: an object with the `command`"
          + " as it is in the hint, `add`, a list of objects with an `option` without its dashes and perhaps its `value`, and"
          + " `remove`, a list of options. A client that knows the whole command line of its user may put that in its place."
          + " A hint that ends with a command has this as `hint_command`, quoted for sh(1), as a value with a `template` has it"
          + " as `command`. The `subject` is the name that no account has."
          + " In brackets stands what `agent` exits with. A client treats a code that it does not know as"
          + " `internal_error`."),
      .members(
        FailureCode.allCases.map { Member($0.rawValue, "\($0.exitStatus.rawValue)", $0.meaning) }),
    ]
  }

  static var exampleBlocks: [ManualBlock] {
    [
      .text("Print an access token of the active account, in a shell:"), .code(shellClient),
      .text("The same in Python, with the error told apart:"), .code(pythonClient),
      .text("Follow what happens to sessions, in Python:"), .code(pythonFollower),
    ]
  }

  // MARK: Examples

  /// A client in ten lines of shell. It keeps its sending side open until the response arrives.
  static let shellClient = [
    "#!/bin/sh",
    "socket=${AGENT_SOCKET:-$XDG_RUNTIME_DIR/agent/agent.sock}",
    #"ask() {"#,
    #"  python3 -c 'import socket, sys"#,
    "s = socket.socket(socket.AF_UNIX)",
    "s.connect(sys.argv[1])",
    #"s.sendall(sys.argv[2].encode() + b"\n")"#,
    #"print(s.makefile().readline(), end="")' "$socket" "$1""#,
    "}",
    #"ask '{"v":1,"request":"token","min_valid":60}' | jq -er .result.access_token"#,
  ]

  static let pythonFollower = [
    "import json, os, socket",
    "path = os.environ.get('AGENT_SOCKET') or os.environ['XDG_RUNTIME_DIR'] + '/agent/agent.sock'",
    "with socket.socket(socket.AF_UNIX) as connection:",
    "    connection.connect(path)",
    "    connection.sendall(json.dumps({'v': 1, 'request': 'events', 'follow': True}).encode() + b'\\n')",
    "    for answer in map(json.loads, connection.makefile()):",
    "        if answer.get('event') == 'following':",
    "            print('ready', flush=True)",
    "        if answer.get('event') == 'session' and 'entry' in answer:",
    "            print(answer['entry']['event'], answer['entry'].get('account', '-'), flush=True)",
  ]

  static let pythonClient = [
    "import json, os, socket, sys",
    "path = os.environ.get('AGENT_SOCKET') or os.environ['XDG_RUNTIME_DIR'] + '/agent/agent.sock'",
    "with socket.socket(socket.AF_UNIX) as connection:",
    "    connection.connect(path)",
    "    connection.sendall(json.dumps({'v': 1, 'request': 'token', 'min_valid': 60}).encode() + b'\\n')",
    "    for answer in map(json.loads, connection.makefile()):",
    "        if 'error' in answer:",
    "            sys.exit(answer['error']['code'] + ': ' + answer['error']['message'])",
    "        if 'result' in answer:",
    "            sys.exit(print(answer['result']['access_token']))",
  ]
}
