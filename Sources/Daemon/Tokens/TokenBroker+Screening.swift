internal import Crypto
internal import Encoding
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Finds tokens in the environment of programs that must get none (``Wire/EnvironmentScreening``).
extension TokenBroker {
  /// Responds with the indices of values that contain tokens, and the variables that accounts set. Reads values from
  /// the last `passed` descriptor.
  func screenEnvironment(_ ticket: Ticket, passed: [SharedDescriptor]) throws(Failure) {
    guard let source = passed.last else { throw .missingDescriptors }
    let settings = try settings()
    let configurations = settings.accounts.map(\.configuration) + services.ephemeral.accounts.map(\.configuration)
    let mapped = Set(configurations.flatMap { $0.settings.variables.map { String($0.prefix { $0 != "=" }) } })
    let cached = slots.flatMap { [$0.session.grant].compactMap { $0 } + $0.session.earlierGrants }
    let ephemeral = services.ephemeral.accounts.map(\.name)
    let cancellation = context.cancellation(of: ticket)
    jobs.runWaiting(as: WaitShare(ticket), cancellation) { [services = context.services] () throws(SessionError) in
      var tokens = try Self.storedTokens(ephemeral, in: services)
      do throws(CryptoError) {
        for grant in cached {
          tokens.append(try grant.accessToken.open())
          if let idToken = grant.idToken { tokens.append(try idToken.open()) }
        }
      } catch {
        throw .memory
      }
      return try SecretReader.read(source, upTo: EnvironmentScreening.maximumBytes, or: { _ in .content }, cancellation)
      {
        (bytes) throws(SessionError) in try TokenFinder(tokens).indicesOfValues(withTokensIn: bytes)
      }
    } then: { [self] outcome in
      send(outcome, nil, ticket) { holding in
        ["holding": .array(holding.map { .int($0) }), "mapped": .array(mapped.sorted().map { .string($0) })]
      }
    }
  }

  /// The tokens of these ephemeral accounts and all unlocked records. Blocking.
  private static func storedTokens(_ ephemeral: [AccountName], in services: SessionServices) throws(SessionError)
    -> [SharedSecret]
  {
    var tokens: [SharedSecret] = []
    func add(_ record: AccountRecord?) {
      guard let record else { return }
      let found = [
        record.refreshToken, record.accessToken, record.idToken, record.revocation?.refreshToken,
        record.revocation?.accessToken,
      ]
      tokens += found.compactMap { $0 }
    }
    for account in ephemeral { add(try services.record(of: account)) }
    do throws(SessionError) {
      guard let snapshot = try services.snapshot() else { return tokens }
      for (account, _) in snapshot.protections {
        do throws(SessionError) { add(try services.record(of: account, in: snapshot)) } catch {
          guard error.isLocked else { throw error }
        }
      }
    } catch .vault(let error) where error.code == .otherMachinesOnly {
      return tokens
    }
    return tokens
  }
}

/// Searches values for tokens, verbatim and percent-encoded. Timing reveals only lengths, unless eight bytes match.
struct TokenFinder {
  private let tokens: [SharedSecret]
  /// Shorter tokens are ignored.
  private static let minimumBytes = 8

  init(_ tokens: [SharedSecret]) { self.tokens = tokens }

  /// The indices of the NUL-terminated values that contain a token.
  func indicesOfValues(withTokensIn bytes: Span<UInt8>) throws(SessionError) -> [Int] {
    var found: [Int] = []
    var (start, number) = (0, 0)
    for index in bytes.indices where bytes[index] == 0 {
      let value = bytes.extracting(start..<index)
      if try isAnyFound(in: value) { found.append(number) }
      (start, number) = (index + 1, number + 1)
    }
    return found
  }

  private func isAnyFound(in value: Span<UInt8>) throws(SessionError) -> Bool {
    guard value.count >= Self.minimumBytes else { return false }
    if tokens.contains(where: { $0.bytes.withBytes { token in Self.isFound(token, in: value) } }) { return true }
    guard value.indices.contains(where: { value[$0] == UInt8(ascii: "%") || value[$0] == UInt8(ascii: "\\") }) else {
      return false
    }
    let decoded = try Self.decoded(value)
    return decoded.withBytes { value in
      tokens.contains { $0.bytes.withBytes { token in Self.isFound(token, in: value) } }
    }
  }

  private static func isFound(_ token: Span<UInt8>, in value: Span<UInt8>) -> Bool {
    guard token.count >= minimumBytes, value.count >= token.count else { return false }
    var first: UInt64 = 0
    for index in 0..<8 { first = first << 8 | UInt64(token[index]) }
    var (window, isFound): (UInt64, Bool) = (0, false)
    for index in 0..<(value.count - token.count + 8) {
      window = window << 8 | UInt64(value[index])
      guard index >= 7, window == first else { continue }
      if ConstantTime.isEqual(value.extracting(index - 7..<index - 7 + token.count), token) { isFound = true }
    }
    return isFound
  }

  /// Without percent-encoding (RFC 3986 section 2.1) and `\/` escapes (RFC 8259 section 7), padded with zeros.
  private static func decoded(_ value: Span<UInt8>) throws(SessionError) -> SecretBytes {
    var decoded: SecretBytes
    do { decoded = try SecretBytes(zeroed: value.count) } catch { throw .memory }
    decoded.withMutableBytes { bytes in
      var (from, to) = (0, 0)
      while from < value.count {
        if value[from] == UInt8(ascii: "%"), from + 2 < value.count, let high = HexDigit.value(value[from + 1]),
          let low = HexDigit.value(value[from + 2])
        {
          bytes[to] = high << 4 | low
          from += 3
        } else {
          let isEscape =
            value[from] == UInt8(ascii: "\\") && from + 1 < value.count && value[from + 1] == UInt8(ascii: "/")
          if isEscape { from += 1 }
          bytes[to] = value[from]
          from += 1
        }
        to += 1
      }
    }
    return decoded
  }
}
