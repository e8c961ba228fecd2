/// What both programs are parts of.
package enum Product {
  /// The version of the client and of the daemon, which are installed together.
  package static let version = "0.1.0"
}
