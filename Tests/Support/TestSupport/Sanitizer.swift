internal import Platform

/// Whether the build has a sanitizer, which needs more memory and ten times as long.
package enum Sanitizer {
  package static let isOn = Environment.value("AGENT_SANITIZER").map { !$0.isEmpty } ?? false
}
