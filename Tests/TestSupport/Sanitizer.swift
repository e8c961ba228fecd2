internal import Platform

/// Whether tests and programs are built with a sanitizer, which takes memory of its own and ten times the time.
package enum Sanitizer {
  package static let isOn = Environment.value("AGENT_SANITIZER").map { !$0.isEmpty } ?? false
}

extension Duration {
  /// How long a test waits for what must come before it fails: longer than all tests take on a busy machine, since any
  /// of them may run before the other half of this one.
  package static let testLimit = Duration.seconds(1800)
}
