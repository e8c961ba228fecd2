/// When the tokens of an account are renewed, as it is spelt in settings and on the command line.
package enum RefreshPolicyName: String, Sendable, CaseIterable {
  case onDemand = "on-demand"
  case proactive, background, offline, strict
}
