package import Vocabulary

extension Provider {
  /// The issuer without ``issuerPath`` and without a slash at the end.
  private func base(of issuer: Issuer) -> String {
    let text = issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text
    return text.hasSuffix(issuerPath) ? String(text.dropLast(issuerPath.count)) : text
  }

  /// The issuer as the server's answers name it (RFC 9207), when the account names it in another way; else nil.
  package func responseIssuer(of issuer: Issuer) -> String? {
    let full = base(of: issuer) + issuerPath
    return issuerPath.isEmpty || issuer.isSame(as: full) ? nil : full
  }

  /// The endpoints that are known of an issuer.
  package func endpoints(of issuer: Issuer, allowHTTPLoopback: Bool) throws(OAuthError) -> [EndpointRole: Endpoint] {
    let base = base(of: issuer)
    return try Endpoint.all(
      paths.mapValues { $0.hasPrefix("/") ? base + $0 : $0 }, allowHTTPLoopback: allowHTTPLoopback)
  }

  /// Whether `error` says that the user may not sign in by device code, and may by browser.
  func forbidsDevice(_ error: OAuthError) -> Bool {
    advice.first { Self.matches($0, error) }?.forbidsDevice ?? false
  }

  private static func matches(_ advice: Advice, _ error: OAuthError) -> Bool {
    if let value = error.serverError, value.utf8.elementsEqual(advice.error.utf8) { return true }
    guard let description = error.serverDescription, description.utf8.starts(with: advice.error.utf8) else {
      return false
    }
    // "AADSTS7000" is not "AADSTS70008".
    let next = description.utf8.dropFirst(advice.error.utf8.count).first
    return next.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
  }

  /// The advice for `error`, and whether it is to give the client's secret; nil when there is none.
  package func advice(for error: OAuthError) -> (text: Phrase, needsSecret: Bool)? {
    // The error is about the refresh token, though its name has other meanings elsewhere.
    if error.code == .interactionRequired,
      answerShape.isAboutRefreshToken(error.serverError, description: error.serverDescription)
    {
      return nil
    }
    guard let advice = advice.first(where: { Self.matches($0, error) }) else { return nil }
    let text = Phrase(stringLiteral: advice.text)
    let isAboutClient = [.invalidClient, .unauthorizedClient].contains(error.code)
    guard isAboutClient, !advice.namesPage, let page = registration?.page else { return (text, advice.needsSecret) }
    return (Phrase("\(text): \(page)"), advice.needsSecret)
  }

  /// How its servers answer.
  package var answerShape: AnswerShape {
    var shape = AnswerShape()
    if has(.scopeWithCommas) { shape.scope = .commas }
    if has(.scopeInArray) { shape.scope = .array }
    shape.hasUserTokens = has(.userTokenType)
    shape.hasErrorInMessage = has(.errorInMessage)
    shape.errorNames = errorNames
    shape.deadRefreshTokens = deadRefreshTokens
    return shape
  }
}
