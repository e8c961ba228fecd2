/// What protected resources can say wrong of themselves.
enum ResourceFault: String, Sendable, Hashable, CaseIterable {
  /// The metadata is about another resource (RFC 9728 section 3.3).
  case resource
  /// It names another authorization server.
  case server
  /// It names none (RFC 9728 section 2).
  case noServer = "no_server"
  /// The challenge points to metadata at another place (RFC 9728 section 7.3).
  case metadata
  /// The challenge points to none.
  case noMetadata = "no_metadata"
}
