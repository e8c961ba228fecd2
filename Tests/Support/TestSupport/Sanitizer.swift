internal import Platform

/// Whether tests and programs are built with a sanitizer, which needs more memory and ten times as long.
package enum Sanitizer {
  package static let isOn = Environment.value("AGENT_SANITIZER").map { !$0.isEmpty } ?? false
}
