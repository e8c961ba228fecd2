internal import Wire

extension Command {
  static let events = Command(
    name: "events",
    summary: "Show what happened to sessions and accounts",
    details: [
      "Prints the last 200 events that the daemon keeps in memory, those of one account if one is named, and ends; with"
        + " `--follow` those that happen from now on, each at once, until it is ended or the daemon is. `AGENT_ACCOUNT`"
        + " does not matter here. No token, code or text of a server is ever in an event. Without `--follow` no daemon is"
        + " started, and where none runs it fails with exit status 4. What the daemon did in detail is in"
        + " `agent daemon log`.",
      "`--follow` ends with exit status 4 when the daemon stops, and with `--timeout` after that time. A reader that does"
        + " not read is let go: nobody waits for it. At most 32 commands can follow.",
      #"With `--json` prints one object a line: `{"time", "event", "account", ...}`, where `account` is missing for what is"#
        + " about none. `event` is one of these:",
      #"`signed_in` (with `"expires_at"` if the server names an end of the token);"#
        + #" `signed_out` (`"cause"`: `user`, somebody asked for it here; `removed`, with the account; `expired`, the"#
        + " authorization server refuses the refresh token; `revoked`, it says that it no longer honours the session, as"
        + " `agent status --check` finds out; `elsewhere`, another process"
        + " did it; `settings`, they no longer fit the sign-in; `identity`, the server answers for another person);",
      #"`refreshed` (`"expires_at"`); `refresh_failed` (`"code"`, that of an error that does not pass by itself, told once);"#
        + #" `expiring` and `expired`, the token at hand is near its end, or there, and nobody has got a new one"#
        + #" (`"expires_at"`, `"renewable"`: whether the next command gets one without a sign-in. If so it is told a minute"#
        + " before, or a tenth of the lifetime if that is less; if not, five minutes, or half of it);",
      #"`offline` (`"code"`), `online`; `locked`, `unlocked`; `account_added`, `account_removed`, `account_renamed`"#
        + #" (`"renamed_from"`), and `active_changed`: the account is the active one now, or without `account` none is."#,
      "Commands that are run for events are in the member `on` of the settings: see agent-config(5).",
    ],
    options: [Option(name: .follow, short: "f", summary: "Show what happens from now on, until ended")],
    operands: .account,
    examples: [
      Example(
        purpose: "Tell the desktop when a session is over",
        line: #"agent events --follow --json | jq --unbuffered -r 'select(.event == "signed_out") | .account'"#)
    ],
    run: EventsCommand.run)
}
