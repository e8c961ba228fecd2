internal import CProduct

/// The product that both programs belong to.
package enum Product {
  /// The version of the client and the daemon, which are installed together.
  package static let version = "0.1.0"

  /// The hash of the built commit, with the suffix `-dirty` if files were modified; nil if unknown.
  package static let commit: String? = {
    let text = unsafe String(cString: agent_commit())
    return text.isEmpty ? nil : text
  }()
}
