extension AuthorizationServer {
  /// The client of that identifier, without any proof that it sent something.
  func client(_ id: String) throws(OAuthFailure) -> RegisteredClient {
    guard let client = clients.clients.first(where: { $0.id == id }) else {
      throw OAuthFailure(.invalidRequest, "unknown client")
    }
    return client
  }
}
