/// The names of the refresh policies in settings and on the command line.
package enum RefreshPolicyName: String, Sendable, CaseIterable {
  case onDemand = "on-demand"
  case proactive, background, offline, strict
}
