internal import Platform

/// Whether tests and programs are built with a sanitizer, which takes memory of its own and ten times the time.
package enum Sanitizer {
  package static let isOn = Environment.value("AGENT_SANITIZER").map { !$0.isEmpty } ?? false
}
