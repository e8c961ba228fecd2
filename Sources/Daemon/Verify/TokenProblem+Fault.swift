internal import Encoding
internal import JOSE
internal import OAuth
internal import Wire

extension TokenProblem {
  /// Describes a token fault for users.
  ///
  /// - Parameter now: Unix seconds.
  init(_ fault: TokenFault, _ rules: TokenRules, now: Int) {
    let (code, text) = Self.meaning(of: fault)
    let claim: String? =
      switch fault {
      case .missingClaim(let name), .unexpectedClaim(let name), .malformedClaim(let name), .logoutToken(let name): name
      case .otherValue(let demand): demand.name
      default: nil
      }
    self.init(code, Self.text(of: fault, rules, now: now) ?? text, claim: claim)
  }

  /// Describes a fault with values of the token or the rules; nil for any other.
  private static func text(of fault: TokenFault, _ rules: TokenRules, now: Int) -> String? {
    switch fault {
    case .expired(let end): "the token expired at \(PlainTime.text(end, now: now))"
    case .notYetValid(let start): "the token is not valid before \(PlainTime.text(start, now: now))"
    case .issuedInFuture(let time):
      "the token says that it was issued at \(PlainTime.text(time, now: now)); is the clock right?"
    case .otherIssuer(isMissing: true): "the token does not say who issued it (iss)"
    case .otherIssuer(isMissing: false): "another issuer than \(shown(rules.issuer)) issued the token (iss)"
    case .otherAudience(isMissing: true): "the token does not say whom it is for (aud)"
    case .otherAudience(isMissing: false):
      "the token is not for \(rules.audiences.map { shown($0) }.joined(separator: " or ")) (aud)"
    case .otherValue(let demand): "the claim \(shown(demand.name)) is not \(shown(demand.value))"
    case .missingClaim(let name): "the token does not have the claim \(shown(name))"
    case .signature(.algorithmNotAllowed): algorithmText(rules)
    case .signature(.wrongType): "the type of the token (typ) is not \(shown(rules.type ?? rules.profile?.typeName))"
    default: nil
    }
  }

  private static func algorithmText(_ rules: TokenRules) -> String {
    switch (rules.namesAlgorithms, rules.isBoundByIssuer) {
    case (true, true): "the token is signed with an algorithm that --algorithms or the issuer's metadata do not name"
    case (true, false): "the token is signed with an algorithm that --algorithms does not name"
    case (false, true):
      "the token is signed with an algorithm that its issuer does not announce (id_token_signing_alg_values_supported)"
    case (false, false): "the key is not for the algorithm of the token"
    }
  }

  /// Describes a fault without values from the rules.
  static func text(of fault: TokenFault) -> String { meaning(of: fault).text }

  private static func shown(_ text: String?) -> String { TerminalText.clean(text ?? "", limit: 200) }

  private static func meaning(of fault: TokenFault) -> (code: TokenProblemCode, text: String) {
    let over = "the token does not hold"
    return switch fault {
    case .noClaims: (.invalidClaims, "the payload of the token is not a JSON object, so it has no claims")
    case .malformedClaim(let claim): (.invalidClaim, "the claim \(claim) is of the wrong type or out of range")
    case .expired: (.expired, over)
    case .notYetValid: (.notYetValid, over)
    case .issuedInFuture: (.issuedInFuture, over)
    case .otherIssuer: (.wrongIssuer, over)
    case .otherAudience: (.wrongAudience, over)
    case .foreignAudience: (.wrongAudience, "the token is also for others than --audience names (aud)")
    case .otherParty: (.wrongAudience, "the token was issued to another party than --audience names (azp)")
    case .missingClaim: (.missingClaim, over)
    case .logoutToken(let claim):
      (
        claim == "exp" ? .missingClaim : .unexpectedClaim,
        "the token is a logout token: name --profile logout-token, and for one without exp --allow-missing exp"
      )
    case .unexpectedClaim(let claim): (.unexpectedClaim, "no token of this profile has the claim \(claim)")
    case .otherValue: (.wrongClaim, over)
    case .form(.algorithmNotAllowed): (.unsupportedAlgorithm, meaning(of: .algorithmNotAllowed).text)
    case .form(let code), .signature(let code): meaning(of: code)
    }
  }

  private static func meaning(of code: JOSEError.Code) -> (code: TokenProblemCode, text: String) {
    switch code {
    case .notCompact: (.notCompact, "a signed token has three parts with two dots between them")
    case .tooLong:
      (.tooLong, "the token is longer than \(UnverifiedJWS.maximumByteCount) bytes, or its header than 8192")
    case .invalidCharacter:
      (.invalidCharacter, "the token holds a character that no token has: not base64url and no dot")
    case .invalidBase64URL: (.invalidBase64URL, "a part of the token is not what base64url writes: it may be cut off")
    case .emptySignature: (.missingSignature, "the token has no signature")
    case .invalidHeader:
      (.invalidHeader, "the header of the token is not a JSON object with unique members of the right types")
    case .missingAlgorithm: (.missingAlgorithm, "the header of the token names no algorithm (alg)")
    case .algorithmNotAllowed: (.algorithmNotAllowed, "the token is signed with an algorithm that is not known here")
    case .unsecured: (.unsecured, "the token is not signed: its algorithm is none")
    case .criticalHeader:
      (.criticalHeader, "the header of the token demands an extension (crit, b64) that is not supported")
    case .encrypted: (.encrypted, "the token is encrypted, which is not supported")
    case .embeddedPrivateKey: (.embeddedPrivateKey, "the header of the token holds a private or symmetric key")
    case .wrongType: (.wrongType, "the token is of another type (typ)")
    case .nested: (.nested, "the token holds another token (cty), which is not supported")
    case .unknownKey: (.unknownKey, "no key of the set is the one that the token was signed with")
    case .ambiguousKey: (.ambiguousKey, "several keys of the set fit the token, and none is tried at random")
    case .malformedSetKey:
      (.unsuitableKey, "the key that the token names (kid) is in the set, and malformed")
    case .weakSetKey:
      (.unsuitableKey, "the key that the token names (kid) is in the set, and too weak")
    case .unsupportedSetKey:
      (.unsuitableKey, "the key that the token names (kid) is in the set, and of a kind that is not supported")
    case .secretSetKey:
      (.unsuitableKey, "the key that the token names (kid) is in the set with its private or symmetric part")
    case .unsuitableKey, .invalidKey, .weakKey, .unsupportedKey, .invalidKeySet, .passphraseNeeded,
      .authorizationNeeded,
      .unsuitableHeldKey, .tooManyKeys,
      .mixedKeySet:
      (.unsuitableKey, "the key that the token names (kid) is not for verifying this algorithm")
    case .badSignature: (.badSignature, "the signature does not fit")
    case .invalidPayload: (.invalidClaims, "the payload of the token is not a JSON object")
    case .invalidClaim: (.invalidClaim, "a claim of the token is of the wrong type or out of range")
    case .library: (.internalError, "the check itself failed, for example for lack of memory")
    }
  }
}
