internal import Encoding
package import Crypto
package import OAuth
package import Platform
internal import Synchronization

/// Caches issuers' metadata and key sets in memory and on disk. A changed file cannot redirect a secret: secrets only
/// go to origins in their ``Authority``. Thread-safe; holds no lock during network or disk access.
package final class DocumentCache: Sendable {
  package typealias VersionedMetadata = Versioned<AuthorizationServerMetadata>
  package typealias VersionedKeys = Versioned<JWKSet>

  /// In seconds. Overrides a shorter `Cache-Control`.
  private static let minimumLifetime = 300
  /// In seconds. Also the default.
  private static let maximumLifetime = 86_400

  /// The oldest is dropped first.
  private static let maximumInMemory = 128
  /// Limits a document on disk.
  private static let maximumBytes = 1 << 20
  /// Limits the cached files: a server may use a new URL for its keys each time.
  private static let maximumFiles = 256
  /// Larger documents are parsed at each use.
  private static let maximumBytesKeptParsed = 1 << 16

  private struct Entry {
    var body: [UInt8]
    /// Nil before the first use and if large.
    var parsed: ParsedDocument?
    /// In unix seconds.
    var fetchedAt: Int
    /// In unix seconds.
    var expiresAt: Int
    var entityTag: String?
    /// Unique for each fetched document; 0 if read from disk.
    var version = 0
  }

  private struct ParsedDocument {
    let document: any Sendable
    let allowsHTTPLoopback: Bool
  }

  private let directory: String
  private let http: any HTTPClient
  private let time: any TimeSource
  private let entries = Monitor<[DocumentName: Entry]>([:])
  private let refetchLimiter = Monitor(RefetchLimiter())
  private let versions = Atomic<Int>(0)
  let metadataFetches = Fetches<AuthorizationServerMetadata>()
  let keyFetches = Fetches<JWKSet>()

  package init(directory: String, http: any HTTPClient, time: any TimeSource) {
    self.directory = directory
    self.http = http
    self.time = time
  }

  /// Returns the cached document, or fetches it if missing or expired, or if `fresh` is true.
  func document<Document>(
    _ source: DocumentSource<Document>, fresh: Bool = false
  ) throws(OAuthError) -> Versioned<Document> {
    guard !fresh, let entry = unexpiredEntry(source.name), let document = read(entry, source) else {
      return try fetch(source)
    }
    source.observer?(
      .step(.cachedDocumentUsed(source.name.kind.role, ageSeconds: time.wallSeconds() - entry.fetchedAt)))
    return Versioned(document, version: entry.version)
  }

  /// The latest early fetch's error; nil after a success.
  func refetchProblem<Document>(_ source: DocumentSource<Document>) -> OAuthError? {
    refetchLimiter.withLock { $0.problem(of: source.route) }
  }

  /// Seconds until a document expires or may be fetched early; 0 if now.
  func secondsUntilRefetch<Document>(_ source: DocumentSource<Document>) -> Int {
    let now = time.wallSeconds()
    let outOfTurn = refetchLimiter.withLock { $0.secondsLeft(source.route, now: now) }
    guard let entry = entryEvenIfExpired(source.name) else { return outOfTurn }
    return entry.expiresAt <= now ? 0 : min(outOfTurn, entry.expiresAt - now)
  }

  /// Removes the issuer's metadata and keys in memory and on disk.
  package func forget(_ issuer: Issuer, transport: Transport) {
    let metadata = DocumentName(metadataOf: issuer, transport)
    let published = entryEvenIfExpired(metadata).flatMap { try? JSON(parsing: $0.body) }?["jwks_uri"]?.string
    forget(metadata)
    let endpoint = published.flatMap { try? Endpoint($0, allowHTTPLoopback: transport.allowHTTPLoopback) }
    if let endpoint { forget(DocumentName(keysAt: endpoint, transport)) }
  }

  typealias Fetches<Document: Sendable> = SharedFetches<DocumentFetchKey, Versioned<Document>, OAuthError>

  /// Parses an entry. Nil if invalid.
  private func read<Document>(_ entry: Entry, _ source: DocumentSource<Document>) -> Document? {
    let allowsHTTPLoopback = source.transport.allowHTTPLoopback
    if let parsed = entry.parsed, parsed.allowsHTTPLoopback == allowsHTTPLoopback {
      return parsed.document as? Document
    }
    guard let document = source.parse(entry.body) else { return nil }
    guard entry.body.count <= Self.maximumBytesKeptParsed else { return document }
    let parsed = ParsedDocument(document: document, allowsHTTPLoopback: allowsHTTPLoopback)
    entries.withLock { entries in
      if entries[source.name]?.body == entry.body { entries[source.name]?.parsed = parsed }
    }
    return document
  }

  /// Returns a document newer than `old`, fetched now or by another caller. Nil if rate-limited.
  func fetchNewer<Document>(
    than old: Versioned<Document>, _ source: DocumentSource<Document>
  ) throws(OAuthError) -> Versioned<Document>? {
    let name = source.name
    let now = time.wallSeconds()
    let ending = try source.fetches(self).fetch(
      source.fetchKey, isGivenUp: source.isGivenUp, concernsCallerOnly: DocumentSource<Document>.concernsCallerOnly
    ) {
      !hasNewer(than: old.version, name) && refetchLimiter.withLock { $0.recordIfAllowed(source.route, now: now) }
    } _: { () throws(OAuthError) in
      source.observer?(.step(source.name.kind.refetchStep))
      do throws(OAuthError) { return try fetchUnshared(source) } catch {
        if error.code != .cancelled { refetchLimiter.withLock { $0.recordFailure(source.route, error) } }
        throw error
      }
    }
    switch ending {
    case .fetched(let document): return document
    case .givenUp: throw OAuthError(.cancelled, .endpoint(source.name.kind.role))
    case .notBegun: return hasNewer(than: old.version, name) ? try document(source) : nil
    }
  }

  private func hasNewer(than version: Int, _ name: DocumentName) -> Bool {
    entries.withLock { $0[name]?.version ?? 0 } > version
  }

  /// Joins a fetch in progress, if any. A failure keeps the cached document.
  private func fetch<Document>(_ source: DocumentSource<Document>) throws(OAuthError) -> Versioned<Document> {
    let ending = try source.fetches(self).fetch(
      source.fetchKey, isGivenUp: source.isGivenUp, concernsCallerOnly: DocumentSource<Document>.concernsCallerOnly
    ) { () throws(OAuthError) in
      try fetchUnshared(source)
    }
    guard case .fetched(let document) = ending else { throw OAuthError(.cancelled, .endpoint(source.name.kind.role)) }
    return document
  }

  private func fetchUnshared<Document>(_ source: DocumentSource<Document>) throws(OAuthError) -> Versioned<Document> {
    let http = ObservedHTTPClient.wrapping(http, time: time, source.observer)
    let known = entryEvenIfExpired(source.name).flatMap { entry in source.parse(entry.body).map { (entry, $0) } }
    let fetched = try source.fetch(http, known?.0.entityTag)
    refetchLimiter.withLock { $0.recordSuccess(source.route) }
    switch fetched {
    case .changed(let fetched):
      for remark in source.observations(fetched.value) { source.observer?(remark) }
      let version = store(fetched.body, maxAge: fetched.maxAgeSeconds, tag: fetched.entityTag, as: source.name)
      return Versioned(fetched.value, version: version)
    case .unchanged(let maxAge):
      guard let (entry, document) = known else {
        throw OAuthError(.malformedResponse, .endpoint(source.name.kind.role))
      }
      let version = store(entry.body, maxAge: maxAge, tag: entry.entityTag, as: source.name)
      return Versioned(document, version: version)
    }
  }

  private func unexpiredEntry(_ name: DocumentName) -> Entry? {
    let now = time.wallSeconds()
    func isGood(_ entry: Entry) -> Bool { entry.fetchedAt <= now && now < entry.expiresAt }
    if let entry = entries.withLock({ $0[name] }) { return isGood(entry) ? entry : nil }
    guard let read = readFile(name) else { return nil }
    let entry = keepInMemory(read, as: name, isNewer: false)
    return isGood(entry) ? entry : nil
  }

  private func entryEvenIfExpired(_ name: DocumentName) -> Entry? { entries.withLock { $0[name] } ?? readFile(name) }

  /// Returns the cached document's version number.
  private func store(_ body: [UInt8], maxAge: Int?, tag: String?, as name: DocumentName) -> Int {
    let now = time.wallSeconds()
    let life = min(max(maxAge ?? Self.maximumLifetime, Self.minimumLifetime), Self.maximumLifetime)
    let entry = Entry(
      body: body, fetchedAt: now, expiresAt: now + life, entityTag: tag,
      version: versions.add(1, ordering: .relaxed).newValue)
    keepInMemory(entry, as: name, isNewer: true)
    writeFile(entry, name)
    return entry.version
  }

  /// Keeps an existing entry unless `isNewer` is true. Returns the kept one.
  @discardableResult
  private func keepInMemory(_ entry: Entry, as name: DocumentName, isNewer: Bool) -> Entry {
    entries.withLock { entries in
      if !isNewer, let known = entries[name] { return known }
      if entries[name] == nil, entries.count >= Self.maximumInMemory,
        let oldest = entries.min(by: { $0.value.fetchedAt < $1.value.fetchedAt })?.key
      {
        entries[oldest] = nil
      }
      entries[name] = entry
      return entry
    }
  }

  private func forget(_ name: DocumentName) {
    entries.withLock { $0[name] = nil }
    guard let file = name.file, let directory = try? PrivateDirectory(opening: directory, create: false)
    else { return }
    try? directory.removeFile(file)
  }

  /// One line of JSON (name, times, entity tag), then the document. Nil if invalid.
  private func readFile(_ name: DocumentName) -> Entry? {
    guard let file = name.file, let directory = try? PrivateDirectory(opening: directory, create: false),
      let bytes = try? directory.readFile(file, limit: Self.maximumBytes + 4096),
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let head = try? JSON(parsing: Array(bytes[..<end])),
      let fetchedAt = head["fetched_at"]?.int, let expiresAt = head["expires_at"]?.int,
      let written = head["name"]?.string, written.hasSameBytes(as: name.subject),
      head["trust"]?.string == name.trust
    else { return nil }
    let (latest, overflow) = fetchedAt.addingReportingOverflow(Self.maximumLifetime)
    guard !overflow else { return nil }
    let tag = head["etag"]?.string.flatMap { HTTPHeaders.isEntityTag($0) ? $0 : nil }
    return Entry(
      body: Array(bytes[(end + 1)...]), fetchedAt: fetchedAt, expiresAt: min(expiresAt, latest), entityTag: tag)
  }

  /// Ignores errors.
  private func writeFile(_ entry: Entry, _ name: DocumentName) {
    guard let file = name.file, let directory = try? PrivateDirectory(opening: directory, create: true)
    else { return }
    var head = JSONObject([
      ("name", .string(name.subject)), ("fetched_at", .int(entry.fetchedAt)), ("expires_at", .int(entry.expiresAt)),
    ])
    head["trust"] = name.trust.map { .string($0) }
    head["etag"] = entry.entityTag.map { .string($0) }
    let bytes = JSON.object(head).serialized() + [UInt8(ascii: "\n")] + entry.body
    try? directory.replaceFile(file, with: bytes.span)
    prune(directory)
  }

  /// Above ``maximumFiles``, keeps the newest half of that number.
  private func prune(_ directory: borrowing PrivateDirectory) {
    guard let names = try? directory.fileNames().filter(DocumentName.isFile), names.count > Self.maximumFiles else {
      return
    }
    var dated: [(name: String, writtenAt: Int)] = []
    for name in names { dated.append((name, (try? directory.stamp(of: name))?.writtenAt ?? 0)) }
    dated.sort { $0.writtenAt < $1.writtenAt }
    for old in dated.dropLast(Self.maximumFiles / 2) { try? directory.removeFile(old.name) }
  }
}
