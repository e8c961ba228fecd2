package import Crypto

extension AuthorizationServer {
  /// Requests the codes for a sign-in on another device (RFC 8628 section 3.1). `target` must not contain a scope.
  package func requestDeviceAuthorization(
    scope: Scope?, target: TokenTarget? = nil, extras: ExtraParameters = .init(), cancellation: Cancellation? = nil
  ) throws(OAuthError) -> DeviceAuthorizationResponse {
    let endpoint = try require(.deviceAuthorization)
    var form = RequestForm()
    form.add(scope)
    if provider?.has(.scopesInDeviceGrant) == true { form.add(.scopes, scope?.text ?? "") }
    form.add(target)
    for (name, value) in extras.parameters() { form.add(named: name, value) }
    // Some servers read it only in the body.
    form.add(.clientID, client.id)
    let response = try post(form, to: endpoint, .deviceAuthorization, cancellation: cancellation)
    do throws(OAuthError) {
      return try withAdvice { () throws(OAuthError) in
        try DeviceAuthorizationResponse.parse(
          response, allowHTTPLoopback: transport.allowHTTPLoopback, sent: secrets(), format: responseFormat)
      }
    } catch {
      throw advisingBrowser(error)
    }
  }

  /// Sets ``OAuthError/needsBrowser`` if client or organization may not use the device grant.
  private func advisingBrowser(_ error: OAuthError) -> OAuthError {
    // With advice, the user can fix the problem.
    let isForbidden = error.code == .unauthorizedClient && error.advice == nil || provider?.forbidsDevice(error) == true
    guard isForbidden, metadata.offersCodeFlow else { return error }
    var error = error
    error.needsBrowser = true
    return error
  }

  /// Polls once (RFC 8628 section 3.4), as scheduled by ``DevicePolling``. If `resources` are refused (RFC 8707), polls
  /// again without them.
  ///
  /// - Throws: `accessDenied`, `expiredToken` or another error that ends the sign-in (RFC 8628 section 3.5).
  package func pollDevice(
    _ code: SharedSecret, scope: Scope? = nil, resources: [String] = [], cancellation: Cancellation? = nil
  ) throws(OAuthError) -> DevicePollOutcome {
    let response: HTTPResponse
    do throws(OAuthError) {
      response = try requestTokens(spends: true, cancellation: cancellation) { form in
        form.add(.grantType, GrantType.device)
        form.add(.deviceCode, secret: code)
        if provider?.has(.scopesInDeviceGrant) == true { form.add(.scopes, scope?.text ?? "") }
        for resource in resources { form.add(.resource, resource) }
      }
    } catch {
      guard error.code.effect == .temporary else { throw error }
      return .transient(error)
    }
    do throws(OAuthError) { return try outcome(of: response, sent: secrets(code)) } catch {
      guard error.code == .invalidTargetAnswer, !resources.isEmpty else { throw error }
      return try pollDevice(code, scope: scope, cancellation: cancellation)
    }
  }

  private func outcome(of response: HTTPResponse, sent: [SharedSecret]) throws(OAuthError) -> DevicePollOutcome {
    let answer = ErrorResponse.read(response, sent: sent, format: responseFormat)
    switch answer?.standardError {
    case "authorization_pending": return .pending
    case "slow_down": return .slowDown(interval: answer?.interval)
    default: break
    }
    do throws(OAuthError) {
      return .token(try self.answer(in: response, kind: .devicePoll, sent: sent))
    } catch {
      // Neither server problems nor refusals without code end the sign-in (RFC 8628 section 3.5).
      let isUnnamed = answer?.isText != true && (400..<500).contains(response.status)
      let isTemporary = error.code.effect == .temporary && (answer == nil || OAuthError.isTemporary(response.status))
      guard isUnnamed || isTemporary else { throw advisingBrowser(error) }
      return .transient(error)
    }
  }
}
