/// Requests events of sessions or leases.
package struct EventsRequest: RequestBody {
  /// Nil for all accounts.
  package var account: String?
  /// Whether to send future events until the connection closes, not recent ones.
  package var follows: Bool
  /// Whether to send events of leases instead of sessions.
  package var forLeases = false

  package init(account: String? = nil, follows: Bool = false) {
    self.account = account
    self.follows = follows
  }

  package var properties: RequestProperties {
    RequestProperties("events", follows ? [.repeatable, .endless] : .repeatable, about: .accountOrAny(account))
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("account", &account, "The account (default: all).")
    try members.visitFlag("follow", &follows, "Send new events until the connection closes.")
    try members.visitFlag(
      "leases", &forLeases, "The events of leases, not those of sessions; with `follow` as events `lease_entry`.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Returns recent events of sessions and accounts. With `follow` sends the event `following`, then new events `session`"
        + " or `lease_entry`, until the client disconnects or the daemon stops.",
      result: [
        .objects("events", "The oldest first; see agent-events(1). Clients ignore unknown events."),
        .number("dropped", "The number of earlier events that are no longer kept."),
      ],
      note:
        "With `follow` the last line is always an error. At most 32 requests can follow. Slow readers are disconnected."
    )
  }
}
