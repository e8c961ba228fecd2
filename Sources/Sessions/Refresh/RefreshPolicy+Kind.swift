extension RefreshPolicy {
  /// When the tokens of an account are renewed. The raw values are those of the settings file.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Only on request.
    case onDemand = "on-demand"
    /// Before the token expires, if it was used.
    case proactive
    /// Always before the token expires, from the daemon's start on.
    case background
    /// As ``proactive``; a refresh that fails for a passing reason is made as soon as it can be.
    case offline
    /// Only on request; a token stays in memory for a short time and is never given out when little of its lifetime is
    /// left.
    case strict
  }
}
