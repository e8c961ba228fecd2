import Crypto
import Encoding
import OAuth
import Sessions
import Testing

/// A server's error description is shown only if it contains no secret of the session.
@Suite struct `An error that repeats a secret` {
  private let home: Home

  init() throws { home = try Home() }

  /// The failure of a refresh if the server sends this description.
  private func description(_ said: String) throws -> String? {
    try home.store {
      $0.refreshToken = try secret("refresh-9sLw2c")
      $0.accessToken = try secret("kept-Rj6yU5-9sLw")
    }
    home.http.answer(
      TestIssuer.tokenURL, try response(400, ["error": "invalid_request", "error_description": .string(said)]))
    let operation = RefreshOperation(
      account: home.account, configuration: Home.configuration, previous: try grant("access-4bVtq1-Gk3"),
      services: home.services, cancellation: Cancellation())
    do {
      _ = try operation.run()
    } catch .oauth(let error) {
      return error.serverDescription
    }
    Issue.record("the refresh worked")
    return nil
  }

  @Test(arguments: [
    "refresh-9sLw2c is bad", "access-4bVtq1-Gk3 is still good", "kept-Rj6yU5-9sLw", "access%2D4bVtq1%2DGk3",
    "YWNjZXNzLTRiVnRxMS1HazM=",
  ]) func `tells nothing of it`(said: String) throws { #expect(try description(said) == nil) }

  @Test func `is told otherwise`() throws { #expect(try description("access is denied") == "access is denied") }
}
