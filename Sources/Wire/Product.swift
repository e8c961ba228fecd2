internal import CProduct

package enum Product {
  package static let version = "0.1.0"

  /// With `-dirty` for modified files; nil if unknown.
  package static let commit: String? = {
    let text = unsafe String(cString: agent_commit())
    return text.isEmpty ? nil : text
  }()
}
