internal import Encoding
internal import JOSE
internal import OAuth
internal import Wire

extension TokenProblem {
  /// A fault in the words that a person reads.
  ///
  /// - Parameter now: Unix seconds.
  init(_ fault: TokenFault, _ rules: TokenRules, now: Int) {
    self.init(Self.code(of: fault), Self.text(of: fault, rules, now: now))
  }

  private static func text(of fault: TokenFault, _ rules: TokenRules, now: Int) -> String {
    switch fault {
    case .expired(let end): "the token expired at \(PlainTime.text(end, now: now))"
    case .notYetValid(let start): "the token is not valid before \(PlainTime.text(start, now: now))"
    case .issuedInFuture(let time):
      "the token says that it was issued at \(PlainTime.text(time, now: now)); is the clock right?"
    case .otherIssuer(isMissing: true): "the token does not say who issued it (iss)"
    case .otherIssuer(isMissing: false): "another issuer than \(shown(rules.issuer)) issued the token (iss)"
    case .otherAudience(isMissing: true): "the token does not say whom it is for (aud)"
    case .otherAudience(isMissing: false): "the token is not for \(shown(rules.audience)) (aud)"
    case .signature(.algorithmNotAllowed): "the token is signed with an algorithm that --algorithms does not name"
    case .signature(.wrongType): "the type of the token (typ) is not \(shown(rules.type))"
    default: text(of: fault)
    }
  }

  /// Text of a fault without values from the rules.
  static func text(of fault: TokenFault) -> String {
    switch fault {
    case .noClaims: "the payload of the token is not a JSON object, so it has no claims"
    case .malformedClaim(let claim): "the claim \(claim) is of the wrong type or out of range"
    case .form(let code), .signature(let code): text(of: code)
    case .expired, .notYetValid, .issuedInFuture, .otherIssuer, .otherAudience: "the token does not hold"
    }
  }

  private static func text(of code: JOSEError.Code) -> String {
    switch code {
    case .notCompact: "a signed token has three parts with two dots between them"
    case .tooLong: "the token is longer than \(UnverifiedJWS.maximumByteCount) bytes, or its header than 8192"
    case .invalidCharacter: "the token holds a character that no token has: not base64url and no dot"
    case .invalidBase64URL: "a part of the token is not what base64url writes: it may be cut off"
    case .emptySignature: "the token has no signature"
    case .invalidHeader: "the header of the token is not a JSON object with unique members of the right types"
    case .missingAlgorithm: "the header of the token names no algorithm (alg)"
    case .algorithmNotAllowed: "the token is signed with an algorithm that is not known here"
    case .unsecured: "the token is not signed: its algorithm is none"
    case .criticalHeader: "the header of the token demands an extension (crit, b64) that is not supported"
    case .encrypted: "the token is encrypted, which is not supported"
    case .embeddedPrivateKey: "the header of the token holds a private or symmetric key"
    case .wrongType: "the token is of another type (typ)"
    case .nested: "the token holds another token (cty), which is not supported"
    case .unknownKey: "no key of the set is the one that the token was signed with"
    case .ambiguousKey: "several keys of the set fit the token, and none is tried at random"
    case .unsuitableKey, .invalidKey, .weakKey, .unsupportedKey, .invalidKeySet, .passphraseNeeded, .tooManyKeys,
      .mixedKeySet:
      "the key that the token names (kid) is not for verifying this algorithm"
    case .badSignature: "the signature does not fit"
    case .invalidPayload: "the payload of the token is not a JSON object"
    case .invalidClaim: "a claim of the token is of the wrong type or out of range"
    case .library: "the check failed for a reason of its own, such as lack of memory"
    }
  }

  private static func shown(_ text: String?) -> String { TerminalText.clean(text ?? "", limit: 200) }

  private static func code(of fault: TokenFault) -> TokenProblemCode {
    switch fault {
    case .noClaims: .invalidClaims
    case .malformedClaim: .invalidClaim
    case .expired: .expired
    case .notYetValid: .notYetValid
    case .issuedInFuture: .issuedInFuture
    case .otherIssuer: .wrongIssuer
    case .otherAudience: .wrongAudience
    case .form(.algorithmNotAllowed): .unsupportedAlgorithm
    case .form(let code), .signature(let code): self.code(of: code)
    }
  }

  private static func code(of code: JOSEError.Code) -> TokenProblemCode {
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
    case .unsuitableKey, .invalidKey, .weakKey, .unsupportedKey, .invalidKeySet, .passphraseNeeded, .tooManyKeys,
      .mixedKeySet:
      .unsuitableKey
    case .badSignature: .badSignature
    case .invalidPayload: .invalidClaims
    case .invalidClaim: .invalidClaim
    case .library: .internalError
    }
  }
}
