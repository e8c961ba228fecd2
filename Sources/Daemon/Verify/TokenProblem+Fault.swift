internal import Encoding
internal import Crypto
internal import OAuth
internal import Wire

extension TokenProblem {
  /// Describes a fault for users. `now` is in unix seconds.
  init(_ fault: TokenFault, _ rules: TokenRules, now: Int) {
    let claim: String? =
      switch fault {
      case .missingClaim(let name), .unexpectedClaim(let name), .malformedClaim(let name), .logoutToken(let name): name
      case .wrongValue(let demand): demand.name
      default: nil
      }
    let code = TokenProblemCode(fault)
    self.init(code, Self.text(of: fault, rules, now: now) ?? fault.reason.english, claim: claim)
  }

  /// Nil for faults without values of the token or the rules.
  private static func text(of fault: TokenFault, _ rules: TokenRules, now: Int) -> String? {
    switch fault {
    case .expired(let end): "it expired at \(ReadableTime.text(end, now: now))"
    case .notYetValid(let start): "it is not valid before \(ReadableTime.text(start, now: now))"
    case .issuedInFuture(let time): "it was issued at \(ReadableTime.text(time, now: now)); is the clock right?"
    case .wrongIssuer(isMissing: true): "it has no issuer (iss)"
    case .wrongIssuer(isMissing: false): "its issuer is not \(shown(rules.issuer)) (iss)"
    case .wrongAudience(isMissing: true): "it has no audience (aud)"
    case .wrongAudience(isMissing: false):
      "it is not for \(rules.audiences.map { shown($0) }.joined(separator: " or ")) (aud)"
    case .untrustedAudience: "it is also for others than --audience (aud)"
    case .wrongAuthorizedParty: "it was issued to another client than --audience (azp)"
    case .logoutToken: "it is a logout token: use --profile logout-token and, if it has no exp, --allow-missing exp"
    case .wrongValue(let demand): "\(shown(demand.name)) is not \(shown(demand.value))"
    case .missingClaim(let name): "\(shown(name)) is missing"
    case .form(.algorithmNotAllowed): "its algorithm is unknown"
    case .form(.tooLong): "it is longer than \(UnverifiedJWS.maximumByteCount) bytes, or its header than 8192"
    case .signature(.algorithmNotAllowed): algorithmText(rules)
    case .signature(.wrongType): "its type (typ) is not \(shown(rules.type ?? rules.profile?.typeName))"
    default: nil
    }
  }

  private static func algorithmText(_ rules: TokenRules) -> String {
    switch (rules.hasChosenAlgorithms, rules.isRestrictedByIssuer) {
    case (true, true): "its algorithm is in neither --algorithms nor the issuer's metadata"
    case (true, false): "its algorithm is not in --algorithms"
    case (false, true): "its issuer does not announce its algorithm (id_token_signing_alg_values_supported)"
    case (false, false): "the key is not for its algorithm"
    }
  }

  private static func shown(_ text: String?) -> String { TerminalText.clean(text ?? "", limit: 200) }
}

extension TokenProblemCode {
  fileprivate init(_ fault: TokenFault) {
    self =
      switch fault {
      case .form(.algorithmNotAllowed): .unsupportedAlgorithm
      case .form(let code), .signature(let code): Self(code)
      case .noClaims: .invalidClaims
      case .malformedClaim: .invalidClaim
      case .missingClaim, .logoutToken(claim: "exp"): .missingClaim
      case .unexpectedClaim, .logoutToken: .unexpectedClaim
      case .expired, .authenticationTooOld: .expired
      case .notYetValid: .notYetValid
      case .issuedInFuture: .issuedInFuture
      case .wrongIssuer: .wrongIssuer
      case .wrongAudience, .untrustedAudience, .wrongAuthorizedParty: .wrongAudience
      case .wrongValue, .wrongNonce, .insufficientAuthentication, .wrongHash, .identityChanged: .wrongClaim
      }
  }

  private init(_ code: JOSEError.Code) {
    self =
      switch code {
      case .notCompact: .notCompact
      case .tooLong: .tooLong
      case .invalidCharacter: .invalidCharacter
      case .invalidBase64URL: .invalidBase64URL
      case .emptySignature: .missingSignature
      case .invalidHeader: .invalidHeader
      case .missingAlgorithm: .missingAlgorithm
      case .algorithmNotAllowed: .algorithmNotAllowed
      case .unsecured: .unsecured
      case .criticalHeader: .criticalHeader
      case .encrypted: .encrypted
      case .embeddedPrivateKey: .embeddedPrivateKey
      case .wrongType: .wrongType
      case .nested: .nested
      case .unknownKey: .unknownKey
      case .ambiguousKey: .ambiguousKey
      case .malformedSetKey, .weakSetKey, .unsupportedSetKey, .secretSetKey, .unsuitableKey, .invalidKey, .weakKey,
        .unsupportedKey, .invalidKeySet, .passphraseNeeded, .authorizationNeeded, .unsuitableDeviceKey, .tooManyKeys,
        .mixedKeySet:
        .unsuitableKey
      case .badSignature: .badSignature
      case .invalidPayload: .invalidClaims
      case .invalidClaim: .invalidClaim
      case .library: .internalError
      }
  }
}
