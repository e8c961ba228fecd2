import Crypto
import Encoding
import Platform

/// The authorization endpoint (RFC 6749 section 3.1).
extension AuthorizationServer {
  /// Starts an authorization: asks the user, or answers at once when a setting says so.
  ///
  /// Without a known client and a redirect URI of its own nothing is sent anywhere
  /// (RFC 6749 section 4.1.2.1).
  func authorize(_ request: Request) throws(OAuthFailure) -> Response {
    count(.authorizations)
    let parameters: Parameters
    let client: RegisteredClient
    let target: RedirectTarget
    do throws(OAuthFailure) {
      parameters = request.method == .post ? try Parameters(form: request) : try Parameters(query: request)
      client = try self.client(of: parameters)
      target = try Self.target(of: parameters, client)
    } catch {
      return refusalPage(error)
    }
    do throws(OAuthFailure) {
      return try begin(try AuthorizationRequest(parameters, client: client, target: target), request)
    } catch {
      return redirect(to: target, error)
    }
  }

  private func client(of parameters: Parameters) throws(OAuthFailure) -> RegisteredClient {
    let id = try parameters.required("client_id")
    guard let client = clients.clients.first(where: { $0.id == id }) else {
      throw OAuthFailure(.invalidRequest, "unknown client")
    }
    return client
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
    switch withState({ $0.settings.approval }) {
    case .always:
      let hint = wanted.loginHint.flatMap { Self.isUsername($0) ? $0 : nil }
      return try approve(wanted, username: hint ?? Self.demoUser)
    case .never:
      return redirect(to: wanted.target, OAuthFailure(.accessDenied, "the user said no"))
    case .ask:
      let key = try checked(OpaqueKey.random)
      let now = clock.now()
      withState { $0.authorizations.add(wanted, key: key, at: now) }
      return try consentPage(request, wanted, key: key)
    }
  }

  /// Gives out a code (RFC 6749 section 4.1.2).
  func approve(_ wanted: AuthorizationRequest, username: String) throws(OAuthFailure) -> Response {
    let key = try checked(OpaqueKey.random)
    let (now, wall) = (clock.now(), wallSeconds())
    withState { state in
      let code = AuthorizationCode(
        request: wanted, username: username, authTime: wall, acr: nil,
        expiresAt: now.advanced(by: .seconds(state.settings.codeLifetime)))
      state.codes.add(code, key: key)
    }
    return redirect(to: wanted.target, [("code", key.text)])
  }

  /// RFC 6749 section 4.1.2.1.
  func redirect(to target: RedirectTarget, _ failure: OAuthFailure) -> Response {
    redirect(to: target, [("error", failure.code.rawValue), ("error_description", failure.description)])
  }

  /// Every answer names the issuer (RFC 9207 section 2). The browser must turn a POST into a GET
  /// (RFC 9700 section 4.12).
  private func redirect(to target: RedirectTarget, _ answer: [(String, String)]) -> Response {
    var pairs = answer
    if let state = target.state { pairs.append(("state", state)) }
    pairs.append(("iss", issuer))
    return Response(
      status: 303,
      headers: [
        ("Location", target.uri.appendingQuery(pairs)), ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
      ])
  }
}
