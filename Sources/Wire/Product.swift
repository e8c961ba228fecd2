/// The product that both programs belong to.
package enum Product {
  /// The version of the client and of the daemon, which are installed together.
  package static let version = "0.1.0"
}
