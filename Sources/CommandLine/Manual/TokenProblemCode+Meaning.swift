internal import Wire

extension TokenProblemCode {
  /// The meaning of the code, in the notation of ``Prose``.
  var meaning: String {
    switch self {
    case .tooLong: "the token or its header is longer than allowed."
    case .notCompact: "it is not three parts with two dots between them."
    case .invalidCharacter: "it holds a character that no token has."
    case .invalidBase64URL: "a part is not what base64url writes."
    case .missingSignature: "the last part is empty."
    case .invalidHeader: "the header is not a JSON object, or has a member twice or of the wrong type."
    case .missingAlgorithm: "the header names no algorithm."
    case .unsupportedAlgorithm: "the algorithm is not known."
    case .unsecured: "the algorithm is `none`."
    case .criticalHeader: "the header demands an extension; none is supported."
    case .encrypted: "it is encrypted."
    case .embeddedPrivateKey: "the header holds a private or symmetric key."
    case .nested: "it holds another token."
    case .algorithmNotAllowed:
      "`--algorithms` does not name its algorithm, the issuer does not announce it, or the key that was given is not for it."
    case .wrongType: "it is not of the type that `--type` names, or that the profile has."
    case .unknownKey: "no key is the one that it was signed with."
    case .ambiguousKey: "several keys fit; they are not tried one after the other."
    case .unsuitableKey: "the key that it names is not for this algorithm, or not for verifying."
    case .badSignature: "the signature does not fit."
    case .keysUnavailable: "it may be signed with a newer key, and the issuer cannot be asked."
    case .invalidClaims: "the payload is not a JSON object."
    case .invalidClaim: "a claim is of the wrong type or out of range."
    case .expired: "it has expired."
    case .notYetValid: "it is not valid yet."
    case .issuedInFuture: "it was issued in the future: one of the clocks is wrong."
    case .wrongIssuer: "`iss` is not the issuer, or missing."
    case .wrongAudience:
      "`aud` names nothing that `--audience` does, or is missing; of an ID Token also: `aud` or `azp` names another too."
    case .missingClaim: "a claim is missing that `--require`, `--claim` or the profile demands."
    case .unexpectedClaim: "it has a claim that no token of the profile has."
    case .wrongClaim: "a claim has another value than `--claim` says."
    case .internalError: "the check failed for a reason of its own."
    }
  }
}
