package import Crypto
package import OAuth
package import Platform

/// A sign-in in the browser by authorization code and PKCE (RFC 6749 section 4.1, RFC 7636): a blocking
/// ``start(_:redirectURI:options:)``, a judgement of each answer that does not block, and a blocking ``finish(_:)``.
package struct BrowserSignIn: Sendable {
  /// How long a person may take, in seconds.
  package static let patience = 600

  package let signIn: SignIn
  package let request: AuthorizationRequest
  package let url: AuthorizationServer.AuthorizationURL
  /// Taken before anything was sent.
  package let startedAt: Instant
  package let startedAtUnixSeconds: Int

  /// Makes the URL to open; a request is pushed first where the server takes one (RFC 9126).
  package static func start(
    _ signIn: SignIn, redirectURI: String, options: AuthorizationOptions = .init()
  ) throws(SessionError) -> BrowserSignIn {
    let startedAt = signIn.services.time.now()
    let wallSeconds = signIn.services.time.wallSeconds()
    let request = try oauth { () throws(OAuthError) in
      try signIn.server.beginAuthorization(
        scope: signIn.scope, redirectURI: redirectURI, options: signIn.configuration.adding(to: options))
    }
    let url = try oauth { () throws(OAuthError) in
      try signIn.server.authorizationURL(for: request, cancellation: signIn.cancellation)
    }
    return BrowserSignIn(
      signIn: signIn, request: request, url: url, startedAt: startedAt, startedAtUnixSeconds: wallSeconds)
  }

  /// Exchanges the code and stores the session. The code goes to the server that the person was sent to, and to
  /// no other (RFC 9700 section 4.4).
  package func finish(_ code: SharedSecret) throws(SessionError) -> SignIn.Outcome {
    try signIn.keepingOpen { () throws(SessionError) in
      let sentAt = signIn.services.time.now()
      let answer = try oauth { () throws(OAuthError) in
        try signIn.server.exchange(code, of: request, cancellation: signIn.cancellation)
      }
      var demands = request.demands
      demands.code = code
      return try signIn.finish(answer, receivedAfter: sentAt, demands: demands)
    }
  }
}
