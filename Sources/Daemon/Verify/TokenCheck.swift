internal import Crypto
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Verifies tokens, one per line, from one descriptor. Writes the results in order to another.
struct TokenCheck: Sendable {
  private let tokens: SharedDescriptor
  private let results: SharedDescriptor
  let rules: TokenRules
  private let knownIssuers: [(issuer: String, account: String)]
  /// Whether to write only the most used members and claims.
  private let isBrief: Bool
  let time: any TimeSource
  let cancellation: Cancellation

  /// Tokens per part. One thread verifies a part.
  private static let partSize = 32
  private static let maximumThreads = 4

  static func threadCount(processors: Int) -> Int { min(processors, maximumThreads) }

  /// The interval of cancellation checks.
  private static let pollInterval = Duration.milliseconds(100)

  /// Throws `EINVAL` unless the results go to a pipe or socket, since writing to a file may block.
  init(
    tokens: SharedDescriptor, results: SharedDescriptor, rules: TokenRules,
    knownIssuers: [(issuer: String, account: String)] = [], isBrief: Bool, time: any TimeSource,
    cancellation: Cancellation
  ) throws(SystemError) {
    guard try results.descriptor.kind() == .stream else { throw SystemError.unsuitable(operation: "write") }
    try results.descriptor.setNonBlocking(true)
    self.tokens = tokens
    self.results = results
    self.rules = rules
    self.knownIssuers = knownIssuers
    self.isBrief = isBrief
    self.time = time
    self.cancellation = cancellation
  }

  /// Verifies until the input ends, blocking. Throws `cancelled`, also if nothing reads the results, and
  /// `invalid_request` for unreadable input.
  func run(_ keys: VerificationKeys) throws(Failure) -> VerifyTally {
    var rules = rules
    if let announced = keys.announcedAlgorithms { rules.restrictAlgorithms(toAnnounced: announced) }
    rules.tenant = keys.tenant
    var verifier = TokenVerifier(rules: rules, keys: keys, time: time, isBrief: isBrief)
    verifier.knownIssuers = knownIssuers
    var lines = LineBlocks(limit: UnverifiedJWS.maximumByteCount)
    var threads: ThreadPool?
    var tally = VerifyTally()
    var results: [UInt8] = []
    while var block = try nextBlock(&lines) {
      if threads == nil, block.lines.count > Self.partSize {
        threads = ThreadPool(size: Self.threadCount(processors: Machine.processorCount))
      }
      verifier.keyRenewalError = keys.replaceIfExpired()
      results.removeAll(keepingCapacity: true)
      for part in Self.results(of: block, verifier, threads) {
        tally += part.tally
        results += part.bytes
      }
      try write(results)
      for index in block.bytes.indices { block.bytes[index] = 0 }
    }
    return tally
  }

  private static func results(
    of block: LineBlocks.Block, _ verifier: TokenVerifier, _ threads: ThreadPool?
  ) -> [TokenVerifier.Part] {
    let starts = Array(stride(from: 0, to: block.lines.count, by: partSize))
    guard let threads, starts.count > 1 else { return [verifier.verifyLines(block.lines[...], of: block.bytes)] }
    let parts = Monitor([TokenVerifier.Part](repeating: TokenVerifier.Part(), count: starts.count))
    threads.runParts(starts.count) { number in
      let end = min(starts[number] + partSize, block.lines.count)
      let part = verifier.verifyLines(block.lines[starts[number]..<end], of: block.bytes)
      parts.withLock { $0[number] = part }
    }
    return parts.withLock { $0 }
  }

  private func nextBlock(_ lines: inout LineBlocks) throws(Failure) -> LineBlocks.Block? {
    while !lines.isAtEnd {
      if cancellation.isCancelled { throw Failure(.cancelled, "the check was cancelled") }
      do throws(SystemError) {
        guard try tokens.descriptor.waitUntilReadable(timeout: Self.pollInterval) else { continue }
        return try lines.next(from: tokens.descriptor)
      } catch {
        guard error.wouldBlock else {
          throw Failure(.invalidRequest, Phrase("cannot read the tokens: \(Phrase(stringLiteral: error.message))"))
        }
      }
    }
    return nil
  }

  private func write(_ bytes: [UInt8]) throws(Failure) {
    var written = 0
    while written < bytes.count {
      if cancellation.isCancelled { throw Failure(.cancelled, "the check was cancelled") }
      do throws(SystemError) {
        written += try results.descriptor.write(bytes.span.extracting(written...))
      } catch {
        guard error.wouldBlock, (try? results.descriptor.waitUntilWritable(timeout: Self.pollInterval)) != nil else {
          throw Failure(.cancelled, "the results are not being read")
        }
      }
    }
  }
}

/// The source of the keys that verify a token.
enum KeySource: Sendable {
  /// Keys passed by the client.
  case descriptor(SharedDescriptor)
  /// An issuer's published keys, the account whose settings apply, if any, and the proxy's `user:password`.
  case issuer(AccountConfiguration, AccountName?, proxyCredentials: String?)

  /// The account whose settings apply, if any.
  var account: AccountName? {
    if case .issuer(_, let account, _) = self { account } else { nil }
  }

  /// Gets the keys, blocking. Calls `report` with a warning for each defect.
  func keys(
    _ services: SessionServices, _ cancellation: Cancellation, report: (Phrase) -> Void
  ) throws(Failure) -> VerificationKeys {
    switch self {
    case .descriptor(let descriptor):
      return VerificationKeys(try PassedKeys.read(descriptor, cancellation, report: report))
    case .issuer(let configuration, let account, let proxyCredentials):
      do throws(SessionError) {
        let secret = try proxyCredentials.map { (text) throws(SessionError) in try ClientSecret.secureCopy(of: text) }
        let keys = try VerificationKeys(
          of: configuration, account: account, proxyCredentials: secret, services: services, cancellation: cancellation)
        let set = keys.current.keys
        set.reportWarnings(report)
        set.reportUnusableKeys(set.unusableCount, report)
        return keys
      } catch {
        throw Failure(error, account: account?.text)
      }
    }
  }
}
