internal import Encoding
package import OAuth
package import Platform
internal import Crypto
package import JOSE
internal import Synchronization

/// Metadata and key sets, in memory and on disk, so that a cold start needs no discovery.
///
/// The files are public data. Whoever can write them cannot lead a secret astray: a secret goes only
/// to origins that its ``Authority`` lists. Thread-safe; no lock is held across network or disk, but that whoever wants
/// a key set anew waits for those who are fetching it.
package final class DocumentCache: Sendable {
  /// Bounds of a document's life, in seconds, whatever `Cache-Control` says.
  private static let shortestLife = 300
  private static let longestLife = 86_400

  /// A document is fetched again out of turn, for an unknown key say, at most once in this time and
  /// ten times an hour.
  private static let shortestRefetchSeconds = 60
  private static let mostRefetchesAnHour = 10

  /// Accounts may share documents; more of them than this are read from disk each time.
  private static let mostInMemory = 128
  private static let mostBytes = 1 << 20

  private struct Entry {
    var body: [UInt8]
    var fetchedAt: Int
    var expiresAt: Int
    var refetches: [Int] = []
    /// The last of them brought this document.
    var isRefetched = false
  }

  /// Held by whoever fetches a key set out of turn.
  private final class Turn: Sendable {
    let lock = Mutex(())
  }

  private let directory: String
  private let http: any HTTPClient
  private let time: any TimeSource
  private let entries = Mutex<[String: Entry]>([:])
  /// By key set; there are no more than accounts.
  private let turns = Mutex<[String: Turn]>([:])

  package init(directory: String, http: any HTTPClient, time: any TimeSource) {
    self.directory = directory
    self.http = http
    self.time = time
  }

  /// The metadata of `issuer`, from memory, disk or the network.
  package func metadata(
    of issuer: Issuer, transport: Transport, fresh: Bool = false, cancellation: Cancellation?,
    observer: StepObserver? = nil
  ) throws(OAuthError) -> AuthorizationServerMetadata {
    let loopback = transport.allowHTTPLoopback
    if !fresh, let entry = cached(issuer.text, kind: .metadata),
      let metadata = try? AuthorizationServerMetadata(parsing: entry.body, issuer: issuer, allowHTTPLoopback: loopback)
    {
      observer?(.documentKept(.metadata, ageSeconds: time.wallSeconds() - entry.fetchedAt))
      return metadata
    }
    let http = ObservedHTTPClient.wrapping(http, time: time, observer)
    let fetched = try Discovery.fetch(issuer, transport: transport, http: http, cancellation: cancellation)
    keep(fetched.body, maxAge: fetched.maxAgeSeconds, under: issuer.text, kind: .metadata)
    return fetched.value
  }

  /// The key set at `endpoint`.
  package func keys(
    at endpoint: Endpoint, transport: Transport, cancellation: Cancellation?, observer: StepObserver? = nil
  ) throws(OAuthError) -> JWKSet {
    if let entry = cached(endpoint.uri.text, kind: .keys), let keys = try? JWKSet(parsing: entry.body) {
      observer?(.documentKept(.keys, ageSeconds: time.wallSeconds() - entry.fetchedAt))
      return keys
    }
    return try fetchKeys(at: endpoint, transport: transport, cancellation: cancellation, observer)
  }

  /// The key set fetched again because a key was missing or did not fit; nil when that was done too often. All who
  /// ask within a minute share one fetch.
  package func refetchedKeys(
    at endpoint: Endpoint, transport: Transport, cancellation: Cancellation?, observer: StepObserver? = nil
  ) throws(OAuthError) -> JWKSet? {
    let name = Kind.keys.key(endpoint.uri.text)
    let turn = turns.withLock { turns in
      let turn = turns[name] ?? Turn()
      turns[name] = turn
      return turn
    }
    return try turn.lock.withLock { (_) throws(OAuthError) -> JWKSet? in
      guard takeRefetch(name) else { return shared(name) }
      return try fetchKeys(at: endpoint, transport: transport, cancellation: cancellation, observer, isRefetch: true)
    }
  }

  /// Whether a key set may be fetched out of turn now, counted.
  private func takeRefetch(_ name: String) -> Bool {
    let now = time.wallSeconds()
    return entries.withLock { entries in
      guard var entry = entries[name] else { return true }
      entry.refetches.removeAll { $0 <= now - 3600 || $0 > now }
      guard entry.refetches.count < Self.mostRefetchesAnHour,
        (entry.refetches.last ?? 0) <= now - Self.shortestRefetchSeconds
      else { return false }
      entry.refetches.append(now)
      entry.isRefetched = false
      entries[name] = entry
      return true
    }
  }

  /// What somebody else fetched out of turn a moment ago.
  private func shared(_ name: String) -> JWKSet? {
    let oldest = time.wallSeconds() - Self.shortestRefetchSeconds
    guard let entry = entries.withLock({ $0[name] }), entry.isRefetched, entry.fetchedAt > oldest else { return nil }
    return try? JWKSet(parsing: entry.body)
  }

  /// Drops what is known of an account's server, in memory and on disk.
  package func forget(issuer: String, keysAt endpoint: String?) {
    forget(issuer, kind: .metadata)
    if let endpoint { forget(endpoint, kind: .keys) }
  }

  private func fetchKeys(
    at endpoint: Endpoint, transport: Transport, cancellation: Cancellation?, _ observer: StepObserver?,
    isRefetch: Bool = false
  ) throws(OAuthError) -> JWKSet {
    let http = ObservedHTTPClient.wrapping(http, time: time, observer)
    let fetched = try Discovery.keys(at: endpoint, transport: transport, http: http, cancellation: cancellation)
    keep(fetched.body, maxAge: fetched.maxAgeSeconds, under: endpoint.uri.text, kind: .keys, isRefetch: isRefetch)
    return fetched.value
  }
}

extension DocumentCache {
  private enum Kind: String {
    case metadata, keys

    func key(_ name: String) -> String { "\(rawValue) \(name)" }

    /// A file name that holds nothing of the name but its digest.
    func fileName(_ name: String) -> String? {
      guard let digest = try? Digest.sha256.hash(Array(name.utf8).span) else { return nil }
      return "\(rawValue)-\(Base64URL.encode(digest)).json"
    }
  }

  private func cached(_ name: String, kind: Kind) -> Entry? {
    let now = time.wallSeconds()
    func isGood(_ entry: Entry) -> Bool { entry.fetchedAt <= now && now < entry.expiresAt }
    if let entry = entries.withLock({ $0[kind.key(name)] }) { return isGood(entry) ? entry : nil }
    guard let entry = readFile(name, kind: kind), isGood(entry) else { return nil }
    remember(entry, as: kind.key(name))
    return entry
  }

  private func keep(_ body: [UInt8], maxAge: Int?, under name: String, kind: Kind, isRefetch: Bool = false) {
    let now = time.wallSeconds()
    let life = min(max(maxAge ?? Self.longestLife, Self.shortestLife), Self.longestLife)
    let refetches = entries.withLock { $0[kind.key(name)]?.refetches ?? [] }
    let entry = Entry(body: body, fetchedAt: now, expiresAt: now + life, refetches: refetches, isRefetched: isRefetch)
    remember(entry, as: kind.key(name))
    writeFile(entry, name, kind: kind)
  }

  private func remember(_ entry: Entry, as key: String) {
    entries.withLock { entries in
      if entries[key] == nil, entries.count >= Self.mostInMemory,
        let oldest = entries.min(by: { $0.value.fetchedAt < $1.value.fetchedAt })?.key
      {
        entries[oldest] = nil
      }
      entries[key] = entry
    }
  }

  private func forget(_ name: String, kind: Kind) {
    entries.withLock { $0[kind.key(name)] = nil }
    guard let file = kind.fileName(name), let directory = try? PrivateDirectory(opening: directory, create: false)
    else { return }
    try? directory.removeFile(file)
  }

  /// The file: a line with the two times and the name, then the document as it came.
  private func readFile(_ name: String, kind: Kind) -> Entry? {
    guard let file = kind.fileName(name), let directory = try? PrivateDirectory(opening: directory, create: false),
      let bytes = try? directory.readFile(file, limit: Self.mostBytes + 4096),
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let head = try? JSON(parsing: Array(bytes[..<end])),
      let fetchedAt = head["fetched_at"]?.int, let expiresAt = head["expires_at"]?.int,
      let written = head["name"]?.string, written.utf8.elementsEqual(name.utf8)
    else { return nil }
    // The times may be any integers.
    let (latest, overflow) = fetchedAt.addingReportingOverflow(Self.longestLife)
    guard !overflow else { return nil }
    return Entry(body: Array(bytes[(end + 1)...]), fetchedAt: fetchedAt, expiresAt: min(expiresAt, latest))
  }

  /// A cache that cannot be written only costs a fetch at the next start.
  private func writeFile(_ entry: Entry, _ name: String, kind: Kind) {
    guard let file = kind.fileName(name), let directory = try? PrivateDirectory(opening: directory, create: true)
    else { return }
    let head = JSON.object(
      JSONObject([
        ("name", .string(name)), ("fetched_at", .int(entry.fetchedAt)), ("expires_at", .int(entry.expiresAt)),
      ]))
    let bytes = head.serialized() + [UInt8(ascii: "\n")] + entry.body
    try? directory.replaceFile(file, with: bytes.span)
  }
}
