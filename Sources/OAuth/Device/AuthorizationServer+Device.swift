package import Crypto
internal import Vocabulary

extension AuthorizationServer {
  /// Asks for the codes of a sign-in on another device (RFC 8628 section 3.1).
  ///
  /// - Parameter target: The resources and the audience of the sign-in; a scope in it is not sent twice.
  package func authorizeDevice(
    scope: Scope?, target: TokenTarget? = nil, extras: ExtraParameters = .init(), cancellation: Cancellation? = nil
  ) throws(OAuthError) -> DeviceAuthorizationResponse {
    let endpoint = try require(metadata.deviceAuthorizationEndpoint, .deviceAuthorization)
    var form = RequestForm()
    form.add(scope)
    if provider?.has(.scopesInDeviceGrant) == true { form.add(.scopes, scope?.text ?? "") }
    form.add(target)
    for (name, value) in extras.parameters() { form.add(named: name, value) }
    // Beside an `Authorization` header too, which says the same: some servers look for it here only.
    form.add(.clientID, client.id)
    let response = try post(form, to: endpoint, .deviceAuthorization, cancellation: cancellation)
    do throws(OAuthError) {
      return try advising { () throws(OAuthError) in
        try DeviceAuthorizationResponse.parse(
          response, allowHTTPLoopback: transport.allowHTTPLoopback, sent: secrets(), shape: shape)
      }
    } catch {
      throw advisingBrowser(error)
    }
  }

  /// Says that a sign-in by browser may work where this client, or the user's organisation, may not use the device grant.
  private func advisingBrowser(_ error: OAuthError) -> OAuthError {
    // What a provider's own advice is about can be corrected.
    let isForbidden = error.code == .unauthorizedClient && error.advice == nil || provider?.forbidsDevice(error) == true
    guard isForbidden, metadata.offersCodeFlow else { return error }
    var error = error
    error.needsBrowser = true
    return error
  }

  /// Asks once whether the user has approved (RFC 8628 section 3.4). ``DevicePolling`` says when.
  ///
  /// - Throws: Every answer that ends the sign-in: `accessDenied`, `expiredToken`, and any other error
  ///   (RFC 8628 section 3.5).
  package func pollDevice(
    _ code: SharedSecret, scope: Scope? = nil, cancellation: Cancellation? = nil
  ) throws(OAuthError) -> DevicePollOutcome {
    let response: HTTPResponse
    do throws(OAuthError) {
      response = try requestTokens(spends: true, cancellation: cancellation) { form in
        form.add(.grantType, GrantType.device)
        form.add(.deviceCode, secret: code)
        if provider?.has(.scopesInDeviceGrant) == true { form.add(.scopes, scope?.text ?? "") }
      }
    } catch {
      guard error.code.meaning == .passing else { throw error }
      return .transient(error)
    }
    return try outcome(of: response, sent: secrets(code))
  }

  private func outcome(of response: HTTPResponse, sent: [SharedSecret]) throws(OAuthError) -> DevicePollOutcome {
    let answer = ErrorAnswer.read(response, sent: sent, shape: shape)
    switch answer?.standardError {
    case "authorization_pending": return .pending
    case "slow_down": return .slowDown(interval: answer?.interval)
    default: break
    }
    do throws(OAuthError) {
      return .token(try self.answer(in: response, kind: .devicePoll, sent: sent))
    } catch {
      // A server in trouble is worth another try; an error that it took the time to name is not
      // (RFC 8628 section 3.5). A refusal that names none says nothing of the code, which ends by its own time.
      let isUnnamed = answer?.isText != true && (400..<500).contains(response.status)
      let isPassing = error.code.meaning == .passing && (answer == nil || OAuthError.isPassing(response.status))
      guard isUnnamed || isPassing else { throw advisingBrowser(error) }
      return .transient(error)
    }
  }
}
