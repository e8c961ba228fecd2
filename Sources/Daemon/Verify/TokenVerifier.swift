internal import Encoding
internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Verifies single tokens and writes each result as a line of JSON.
struct TokenVerifier: Sendable {
  let rules: TokenRules
  let keys: VerificationKeys
  let time: any TimeSource
  /// Whether to write only the most used members and claims.
  let isBrief: Bool
  /// The issuer of each account, for hints.
  var knownIssuers: [(issuer: String, account: String)] = []
  /// Why expired keys could not be replaced; nil if the keys are valid.
  var keyRenewalError: SessionError?
  /// The end that all valid tokens' lines share: `not_checked`, if any, and the closing brace.
  private let end: [UInt8]

  init(rules: TokenRules, keys: VerificationKeys, time: any TimeSource, isBrief: Bool) {
    (self.rules, self.keys, self.time, self.isBrief) = (rules, keys, time, isBrief)
    var end: [UInt8] = []
    if !rules.uncheckedClaims.isEmpty {
      end.append(member: "not_checked", .array(rules.uncheckedClaims.map { .string($0) }))
    }
    end.append(UInt8(ascii: "}"))
    self.end = end
  }

  /// The results for consecutive tokens.
  struct Part: Sendable {
    /// One line of JSON for each token.
    var bytes: [UInt8] = []
    var tally = VerifyTally()
  }

  /// Per token.
  private static let maximumKeyRenewals = 3

  func verifyLines(_ lines: ArraySlice<LineBlocks.Line>, of bytes: [UInt8]) -> Part {
    var part = Part()
    part.bytes.reserveCapacity(lines.count * (isBrief ? 256 : 1024))
    var last: UnverifiedJWS?
    for line in lines {
      part.tally.tokens += 1
      do throws(TokenProblem) {
        guard let range = line.range else { throw TokenProblem(.form(.tooLong), rules, now: 0) }
        append(try verify(bytes.span.extracting(range), &last), to: &part.bytes)
      } catch {
        part.tally.invalid += 1
        if error.code.isUndecided { part.tally.undecided += 1 }
        part.bytes.append(json: .object(error.json))
      }
      part.bytes.append(UInt8(ascii: "\n"))
    }
    return part
  }

  /// Reuses the parsed header of `last` if equal, otherwise sets `last` to this token.
  private func verify(
    _ text: Span<UInt8>, _ last: inout UnverifiedJWS?
  ) throws(TokenProblem) -> TokenRules.Verified {
    let now = time.wallSeconds()
    var fault: TokenFault
    let token: UnverifiedJWS
    var keySet = keys.current
    do {
      token = try TokenRules.read(text, after: last)
    } catch {
      throw TokenProblem(error, rules, now: now)
    }
    if !token.hasKnownHeader { last = token }
    if let keyRenewalError { throw Self.unavailable("the known keys are out of date", keyRenewalError) }
    do throws(TokenFault) { return try rules.verify(token, by: keySet.keys, now: now) } catch { fault = error }
    if fault.needsNewKeys, let problem = otherIssuer(of: token) { throw problem }
    for _ in 0..<Self.maximumKeyRenewals where fault.needsNewKeys {
      switch keys.fetchNewer(than: keySet) {
      case .none: throw TokenProblem(fault, rules, now: now)
      case .failed(let error): throw Self.unavailable(fault.reason.english, error)
      case .keys(let newer): keySet = newer
      }
      do throws(TokenFault) { return try rules.verify(token, by: keySet.keys, now: now) } catch { fault = error }
    }
    throw TokenProblem(fault, rules, now: now)
  }

  /// The problem if the token's issuer is not that of the keys.
  private func otherIssuer(of token: UnverifiedJWS) -> TokenProblem? {
    guard let issuer = rules.issuer, rules.tenant == nil, !rules.isSignatureOnly,
      let named = (try? JSON(parsing: token.unverifiedPayload))?["iss"]?.string, !Issuer.issClaim(named, names: issuer)
    else { return nil }
    let shown = TerminalText.clean(issuer)
    let known = knownIssuers.first { Issuer.issClaim(named, names: $0.issuer) }
    return TokenProblem(
      .wrongIssuer,
      known.map {
        "its issuer (iss) is not \(shown) but that of the account \($0.account): use --account \($0.account)"
      }
        ?? "its issuer (iss) is not \(shown), and no account has it: use --issuer URL")
  }

  /// The problem if newer keys were needed but unavailable.
  private static func unavailable(_ reason: String, _ error: SessionError) -> TokenProblem {
    let failure = Failure(error, account: nil)
    return TokenProblem(.keysUnavailable, "\(reason), and newer keys are not available: \(failure.message)")
  }

  private func append(_ token: TokenRules.Verified, to bytes: inout [UInt8]) {
    bytes.append(utf8: #"{"valid":true,"header":"#)
    if isBrief {
      append(VerifyRequest.briefMembers, to: &bytes) { name, bytes in
        guard let value = token.header[name] else { return false }
        bytes.append(json: value)
        return true
      }
    } else {
      bytes.append(json: .object(token.header))
    }
    if let claims = token.claims {
      bytes.append(utf8: #","claims":"#)
      if isBrief {
        append(VerifyRequest.briefClaims, to: &bytes) { name, bytes in claims.append(name, to: &bytes) }
      } else {
        bytes.append(json: .object(claims.object))
      }
    } else {
      bytes.append(member: "payload", .string(Base64URL.encode(token.payload)))
    }
    bytes += end
  }

  /// Writes an object. `append` writes a member's value, or returns false to omit it.
  private func append(
    _ names: [String], to bytes: inout [UInt8], _ append: (String, inout [UInt8]) -> Bool
  ) {
    bytes.append(UInt8(ascii: "{"))
    let first = bytes.count
    for name in names {
      let start = bytes.count
      bytes.append(utf8: start == first ? "\"" : ",\"")
      bytes.append(utf8: name)
      bytes.append(utf8: "\":")
      if !append(name, &bytes) { bytes.removeSubrange(start...) }
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
