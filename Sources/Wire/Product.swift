internal import CProduct

/// The product that both programs belong to.
package enum Product {
  /// The version of the client and of the daemon, which are installed together.
  package static let version = "0.1.0"

  /// Hash of the commit that was built, with `-dirty` behind it where files had been changed since; nil if the build did not know it.
  package static let commit: String? = {
    let text = unsafe String(cString: agent_commit())
    return text.isEmpty ? nil : text
  }()
}
