extension Provider {
  /// The issuer without ``issuerPath`` and trailing slash.
  private func base(of issuer: Issuer) -> String {
    let text = issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text
    return text.hasSuffix(issuerPath) ? String(text.dropLast(issuerPath.count)) : text
  }

  /// The `iss` in responses (RFC 9207) if not the account's issuer.
  package func responseIssuer(of issuer: Issuer) -> String? {
    let full = base(of: issuer) + issuerPath
    return issuerPath.isEmpty || issuer.isSame(as: full) ? nil : full
  }

  package func endpoints(of issuer: Issuer, allowHTTPLoopback: Bool) throws(OAuthError) -> [EndpointRole: Endpoint] {
    let base = base(of: issuer)
    return try Endpoint.all(
      paths.mapValues { $0.hasPrefix("/") ? base + $0 : $0 }, allowHTTPLoopback: allowHTTPLoopback)
  }

  /// Whether the error means that the user must sign in with a browser.
  func forbidsDevice(_ error: OAuthError) -> Bool {
    advice.first { Self.matches($0, error) }?.forbidsDevice ?? false
  }

  /// Whether `advice.error` is the error's code or begins its description.
  private static func matches(_ advice: Advice, _ error: OAuthError) -> Bool {
    if let value = error.serverError, value == advice.error { return true }
    guard let description = error.serverDescription, description.utf8.starts(with: advice.error.utf8) else {
      return false
    }
    // "AADSTS7000" must not match "AADSTS70008".
    let next = description.utf8.dropFirst(advice.error.utf8.count).first
    return next.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
  }

  /// Advice, and whether it is to provide a client secret.
  package func advice(for error: OAuthError) -> (text: Phrase, needsSecret: Bool)? {
    // This error is about the refresh token.
    if error.code == .interactionRequired,
      responseFormat.meansInvalidRefreshToken(error.serverError, description: error.serverDescription)
    {
      return nil
    }
    guard let advice = advice.first(where: { Self.matches($0, error) }) else { return nil }
    let text = Phrase(stringLiteral: advice.text)
    let isAboutClient = [.invalidClient, .unauthorizedClient].contains(error.code)
    guard isAboutClient, !advice.namesPage, let page = registration?.page else { return (text, advice.needsSecret) }
    return (Phrase("\(text): \(page)"), advice.needsSecret)
  }

  package var responseFormat: ResponseFormat {
    var format = ResponseFormat()
    if has(.scopeWithCommas) { format.scope = .commas }
    if has(.scopeInArray) { format.scope = .array }
    format.allowsUserTokenType = has(.userTokenType)
    format.hasErrorInMessage = has(.errorInMessage)
    format.errorNames = errorNames
    format.deadRefreshTokens = invalidRefreshTokenErrors
    format.omitsErrorForInvalidToken = has(.deadTokenWithoutError)
    return format
  }
}
