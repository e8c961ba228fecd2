import Crypto
import Encoding
import Platform

/// The authorization endpoint (RFC 6749 section 3.1).
extension AuthorizationServer {
  /// Starts an authorization: asks the user, or answers at once when a setting says so.
  func authorize(_ request: Request) throws(OAuthFailure) -> Response {
    count(.authorizations)
    let wanted: AuthorizationRequest
    do throws(AuthorizationProblem) {
      wanted = try authorizationRequest(of: request)
    } catch {
      switch error {
      case .unanswerable(let failure): return refusalPage(failure)
      case .answerable(let target, let failure): return redirect(to: target, failure)
      }
    }
    do throws(OAuthFailure) {
      return try begin(wanted, request)
    } catch {
      return redirect(to: wanted.target, error)
    }
  }

  private func authorizationRequest(of request: Request) throws(AuthorizationProblem) -> AuthorizationRequest {
    let parameters: Parameters
    let client: RegisteredClient
    do throws(OAuthFailure) {
      parameters = request.method == .post ? try Parameters(form: request) : try Parameters(query: request)
      client = try self.client(try parameters.required("client_id"))
      if let uri = parameters["request_uri"] { return try pushedRequest(uri, client) }
    } catch {
      throw .unanswerable(error)
    }
    let wanted = try authorizationRequest(parameters, client)
    guard withState({ $0.settings.pushedRequests }) != .required else {
      throw .answerable(wanted.target, OAuthFailure(.invalidRequest, "a pushed authorization request is required"))
    }
    return wanted
  }

  /// Without a known client and a redirect URI of its own nothing is sent anywhere
  /// (RFC 6749 section 4.1.2.1).
  func authorizationRequest(
    _ parameters: Parameters, _ client: RegisteredClient
  ) throws(AuthorizationProblem) -> AuthorizationRequest {
    let target: RedirectTarget
    do throws(OAuthFailure) {
      target = try Self.target(of: parameters, client)
    } catch {
      throw .unanswerable(error)
    }
    do throws(OAuthFailure) {
      let targets = try targets(of: parameters)
      return try AuthorizationRequest(parameters, client: client, target: target, targets: targets)
    } catch {
      throw .answerable(target, error)
    }
  }

  /// RFC 6749 sections 3.1.2 and 3.1.2.4.
  private static func target(
    of parameters: Parameters, _ client: RegisteredClient
  ) throws(OAuthFailure) -> RedirectTarget {
    guard let uri = try? URI(try parameters.required("redirect_uri")), uri.fragment == nil else {
      throw OAuthFailure(.invalidRequest, "redirect_uri is missing or malformed")
    }
    guard client.redirects.contains(where: { $0.allows(uri) }) else {
      throw OAuthFailure(.invalidRequest, "redirect_uri is not registered for this client")
    }
    return RedirectTarget(uri: uri, state: parameters["state"])
  }

  private func begin(_ wanted: AuthorizationRequest, _ request: Request) throws(OAuthFailure) -> Response {
    let suitable = session(of: request).flatMap { $0.suits(wanted, at: wallSeconds()) ? $0 : nil }
    switch withState({ $0.settings.approval }) {
    case .always:
      return try approve(wanted, suitable ?? signIn(for: wanted, username: wanted.validHint ?? Self.demoUser))
    case .never:
      return redirect(to: wanted.target, OAuthFailure(.accessDenied, "the user said no"))
    case .ask where wanted.prompt.contains("none"):
      // OpenID Connect Core 1.0 section 3.1.2.6.
      guard let suitable else { throw OAuthFailure(.loginRequired, "nobody is signed in who would do") }
      return try approve(wanted, suitable)
    case .ask:
      let key = try checked(OpaqueKey.random)
      let now = clock.now()
      withState { $0.authorizations.add(wanted, key: key, at: now) }
      return try consentPage(request, wanted, key: key)
    }
  }

  /// Gives out a code (RFC 6749 section 4.1.2).
  func approve(_ wanted: AuthorizationRequest, _ session: BrowserSession) throws(OAuthFailure) -> Response {
    let key = try checked(OpaqueKey.random)
    let now = clock.now()
    withState { state in
      let code = AuthorizationCode(
        request: wanted, session: session, expiresAt: now.advanced(by: .seconds(state.settings.codeLifetime)))
      state.codes.add(code, key: key)
    }
    return redirect(to: wanted.target, code: key)
  }
}
