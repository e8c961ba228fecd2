internal import Encoding
package import JOSE
package import OAuth
package import Platform
internal import Synchronization

/// Metadata and key sets, in memory and on disk, so that a cold start needs no discovery.
///
/// The files are public data. Whoever can write them cannot lead a secret astray: a secret goes only
/// to origins that its ``Authority`` lists. Thread-safe; no lock is held across network or disk.
package final class DocumentCache: Sendable {
  package typealias VersionedMetadata = Versioned<AuthorizationServerMetadata>
  package typealias VersionedKeys = Versioned<JWKSet>

  /// Bounds of a document's life, in seconds, whatever `Cache-Control` says.
  private static let shortestLife = 300
  private static let longestLife = 86_400

  /// Accounts may share documents; more of them than this are read from disk each time.
  private static let mostInMemory = 128
  private static let mostBytes = 1 << 20
  /// When there are more files, half of them go, those first that were written first: a server may name another place
  /// for its keys each time.
  private static let mostFiles = 256
  /// A longer document is read anew each time, lest memory hold it twice.
  private static let mostBytesKeptRead = 1 << 16

  private struct Entry {
    var body: [UInt8]
    /// What `body` says, once somebody has read it.
    var reading: Reading?
    var fetchedAt: Int
    var expiresAt: Int
    /// By what the server knows this version.
    var entityTag: String?
    /// A number of its own for each document that this process got from the network; 0 for one from disk.
    var version = 0
  }

  /// A document that was read under a rule, which is part of what was accepted.
  private struct Reading {
    let document: any Sendable
    let allowsHTTPLoopback: Bool
  }

  private let directory: String
  private let http: any HTTPClient
  private let time: any TimeSource
  private let entries = Monitor<[String: Entry]>([:])
  private let refetches = Monitor(Refetches())
  private let versions = Atomic<Int>(0)
  private let metadataFetches = SharedFetches<VersionedMetadata, OAuthError>()
  private let keyFetches = SharedFetches<VersionedKeys, OAuthError>()

  package init(directory: String, http: any HTTPClient, time: any TimeSource) {
    self.directory = directory
    self.http = http
    self.time = time
  }

  /// The metadata of `issuer`, from memory, disk or the network.
  package func metadata(
    of issuer: Issuer, transport: Transport, fresh: Bool = false, cancellation: Cancellation?,
    observer: StepObserver? = nil
  ) throws(OAuthError) -> VersionedMetadata {
    let source = DocumentSource(issuer, transport, cancellation, observer)
    return try fresh ? fetch(source, metadataFetches) : get(source, metadataFetches)
  }

  /// Other metadata, because an endpoint of `old` is gone or at an unknown place; the rest is as for
  /// ``renewedKeys(after:at:transport:cancellation:observer:)``.
  package func renewedMetadata(
    after old: VersionedMetadata, of issuer: Issuer, transport: Transport, cancellation: Cancellation?,
    observer: StepObserver? = nil
  ) throws(OAuthError) -> VersionedMetadata? {
    try renewed(after: old, DocumentSource(issuer, transport, cancellation, observer), metadataFetches)
  }

  /// The key set at `endpoint`, from memory, disk or the network.
  package func keys(
    at endpoint: Endpoint, transport: Transport, cancellation: Cancellation?, observer: StepObserver? = nil
  ) throws(OAuthError) -> VersionedKeys {
    try get(DocumentSource(endpoint, transport, cancellation, observer), keyFetches)
  }

  /// Other keys, because one of `old` was missing or did not fit: those that somebody else got since, or fetched out of
  /// turn; nil when that was done too often. Whoever asks while such a fetch is under way shares it.
  package func renewedKeys(
    after old: VersionedKeys, at endpoint: Endpoint, transport: Transport, cancellation: Cancellation?,
    observer: StepObserver? = nil
  ) throws(OAuthError) -> VersionedKeys? {
    try renewed(after: old, DocumentSource(endpoint, transport, cancellation, observer), keyFetches)
  }

  /// Why the last fetch of the keys out of turn brought nothing; nil when none was tried since they came.
  func refetchProblem(at endpoint: Endpoint) -> OAuthError? { refetchProblem(.keys, endpoint.uri.text) }

  /// The same of the metadata.
  func refetchProblem(of issuer: Issuer) -> OAuthError? { refetchProblem(.metadata, issuer.text) }

  private func refetchProblem(_ kind: DocumentKind, _ name: String) -> OAuthError? {
    refetches.withLock { $0.problem(of: kind.key(name)) }
  }

  /// Drops what is known of an account's server, in memory and on disk.
  package func forget(issuer: String, keysAt endpoint: String?) {
    forget(issuer, kind: .metadata)
    if let endpoint { forget(endpoint, kind: .keys) }
  }
}

extension DocumentCache {
  private typealias Fetches<Document: Sendable> = SharedFetches<Versioned<Document>, OAuthError>

  private func get<Document>(
    _ source: DocumentSource<Document>, _ fetches: Fetches<Document>
  ) throws(OAuthError) -> Versioned<Document> {
    if let entry = cached(source.name, kind: source.kind), let document = read(entry, source) {
      source.observer?(.documentKept(source.kind.role, ageSeconds: time.wallSeconds() - entry.fetchedAt))
      return Versioned(document, version: entry.version)
    }
    return try fetch(source, fetches)
  }

  private func read<Document>(_ entry: Entry, _ source: DocumentSource<Document>) -> Document? {
    let allowsHTTPLoopback = source.transport.allowHTTPLoopback
    if let reading = entry.reading, reading.allowsHTTPLoopback == allowsHTTPLoopback {
      return reading.document as? Document
    }
    guard let document = source.parse(entry.body) else { return nil }
    guard entry.body.count <= Self.mostBytesKeptRead else { return document }
    let reading = Reading(document: document, allowsHTTPLoopback: allowsHTTPLoopback)
    entries.withLock { entries in
      let name = source.kind.key(source.name)
      // Another version may have come meanwhile.
      if entries[name]?.body == entry.body { entries[name]?.reading = reading }
    }
    return document
  }

  private func renewed<Document>(
    after old: Versioned<Document>, _ source: DocumentSource<Document>, _ fetches: Fetches<Document>
  ) throws(OAuthError) -> Versioned<Document>? {
    let name = source.kind.key(source.name)
    let now = time.wallSeconds()
    // Whoever asks while a fetch is under way shares it; somebody else may have been quicker, perhaps only just now.
    let ending = try fetches.fetch(
      source.flight, isGivenUp: source.isGivenUp, isOwn: DocumentSource<Document>.isOwn
    ) {
      !holdsNewer(than: old.version, name) && refetches.withLock { $0.take(name, now: now) }
    } _: { () throws(OAuthError) in
      source.observer?(source.kind.doubt)
      do throws(OAuthError) { return try fetchAlone(source) } catch {
        if error.code != .cancelled { refetches.withLock { $0.failed(name, error) } }
        throw error
      }
    }
    switch ending {
    case .came(let document): return document
    case .givenUp: throw OAuthError(.cancelled, source.kind.role.subject)
    case .notBegun: return holdsNewer(than: old.version, name) ? try get(source, fetches) : nil
    }
  }

  private func holdsNewer(than version: Int, _ name: String) -> Bool {
    entries.withLock { $0[name]?.version ?? 0 } > version
  }

  /// Drops what is kept of an issuer, in memory and on disk: its metadata, and the keys that they name.
  package func forget(_ issuer: Issuer) {
    let metadata = known(issuer.text, kind: .metadata).flatMap { try? JSON(parsing: $0.body) }
    forget(issuer: issuer.text, keysAt: metadata?["jwks_uri"]?.string)
  }

  /// Fetches a document, or takes part in a fetch that is under way. What is at hand stays when that fails.
  private func fetch<Document>(
    _ source: DocumentSource<Document>, _ fetches: Fetches<Document>
  ) throws(OAuthError) -> Versioned<Document> {
    let ending = try fetches.fetch(
      source.flight, isGivenUp: source.isGivenUp, isOwn: DocumentSource<Document>.isOwn
    ) { () throws(OAuthError) in
      try fetchAlone(source)
    }
    guard case .came(let document) = ending else { throw OAuthError(.cancelled, source.kind.role.subject) }
    return document
  }

  private func fetchAlone<Document>(_ source: DocumentSource<Document>) throws(OAuthError) -> Versioned<Document> {
    let http = ObservedHTTPClient.wrapping(http, time: time, source.observer)
    let known = known(source.name, kind: source.kind).flatMap { entry in source.parse(entry.body).map { (entry, $0) } }
    switch try source.fetch(http, known?.0.entityTag) {
    case .changed(let fetched):
      for step in source.remarks(fetched.value) { source.observer?(step) }
      let version = keep(
        fetched.body, maxAge: fetched.maxAgeSeconds, tag: fetched.entityTag, under: source.name, kind: source.kind)
      return Versioned(fetched.value, version: version)
    case .unchanged(let maxAge):
      guard let (entry, document) = known else { throw OAuthError(.malformedResponse, source.kind.role.subject) }
      let version = keep(entry.body, maxAge: maxAge, tag: entry.entityTag, under: source.name, kind: source.kind)
      return Versioned(document, version: version)
    }
  }
}

extension DocumentCache {
  private func cached(_ name: String, kind: DocumentKind) -> Entry? {
    let now = time.wallSeconds()
    func isGood(_ entry: Entry) -> Bool { entry.fetchedAt <= now && now < entry.expiresAt }
    if let entry = entries.withLock({ $0[kind.key(name)] }) { return isGood(entry) ? entry : nil }
    guard let read = readFile(name, kind: kind) else { return nil }
    let entry = remember(read, as: kind.key(name), isNewer: false)
    return isGood(entry) ? entry : nil
  }

  /// What is at hand, even if its time is over.
  private func known(_ name: String, kind: DocumentKind) -> Entry? {
    entries.withLock { $0[kind.key(name)] } ?? readFile(name, kind: kind)
  }

  /// - Returns: The version that it now is.
  private func keep(_ body: [UInt8], maxAge: Int?, tag: String?, under name: String, kind: DocumentKind) -> Int {
    let now = time.wallSeconds()
    let life = min(max(maxAge ?? Self.longestLife, Self.shortestLife), Self.longestLife)
    let entry = Entry(
      body: body, fetchedAt: now, expiresAt: now + life, entityTag: tag,
      version: versions.add(1, ordering: .relaxed).newValue)
    remember(entry, as: kind.key(name), isNewer: true)
    refetches.withLock { $0.succeeded(kind.key(name)) }
    writeFile(entry, name, kind: kind)
    return entry.version
  }

  /// - Returns: What is remembered from now on: one that the network brought meanwhile is newer than one of the disk.
  @discardableResult
  private func remember(_ entry: Entry, as key: String, isNewer: Bool) -> Entry {
    entries.withLock { entries in
      if !isNewer, let known = entries[key] { return known }
      if entries[key] == nil, entries.count >= Self.mostInMemory,
        let oldest = entries.min(by: { $0.value.fetchedAt < $1.value.fetchedAt })?.key
      {
        entries[oldest] = nil
      }
      entries[key] = entry
      return entry
    }
  }

  private func forget(_ name: String, kind: DocumentKind) {
    entries.withLock { $0[kind.key(name)] = nil }
    guard let file = kind.fileName(name), let directory = try? PrivateDirectory(opening: directory, create: false)
    else { return }
    try? directory.removeFile(file)
  }

  /// The file: a line with the two times and the name, then the document as it came.
  private func readFile(_ name: String, kind: DocumentKind) -> Entry? {
    guard let file = kind.fileName(name), let directory = try? PrivateDirectory(opening: directory, create: false),
      let bytes = try? directory.readFile(file, limit: Self.mostBytes + 4096),
      let end = bytes.firstIndex(of: UInt8(ascii: "\n")), let head = try? JSON(parsing: Array(bytes[..<end])),
      let fetchedAt = head["fetched_at"]?.int, let expiresAt = head["expires_at"]?.int,
      let written = head["name"]?.string, written.utf8.elementsEqual(name.utf8)
    else { return nil }
    // The times may be any integers.
    let (latest, overflow) = fetchedAt.addingReportingOverflow(Self.longestLife)
    guard !overflow else { return nil }
    let tag = head["etag"]?.string.flatMap { HTTPHeaders.isEntityTag($0) ? $0 : nil }
    return Entry(
      body: Array(bytes[(end + 1)...]), fetchedAt: fetchedAt, expiresAt: min(expiresAt, latest), entityTag: tag)
  }

  /// A cache that cannot be written only costs a fetch at the next start.
  private func writeFile(_ entry: Entry, _ name: String, kind: DocumentKind) {
    guard let file = kind.fileName(name), let directory = try? PrivateDirectory(opening: directory, create: true)
    else { return }
    var head = JSONObject([
      ("name", .string(name)), ("fetched_at", .int(entry.fetchedAt)), ("expires_at", .int(entry.expiresAt)),
    ])
    head["etag"] = entry.entityTag.map { .string($0) }
    let bytes = JSON.object(head).serialized() + [UInt8(ascii: "\n")] + entry.body
    try? directory.replaceFile(file, with: bytes.span)
    prune(directory)
  }

  private func prune(_ directory: borrowing PrivateDirectory) {
    guard let names = try? directory.fileNames().filter(DocumentKind.isFileName), names.count > Self.mostFiles else {
      return
    }
    var dated: [(name: String, writtenAt: Int)] = []
    for name in names { dated.append((name, (try? directory.stamp(of: name))?.writtenAt ?? 0)) }
    dated.sort { $0.writtenAt < $1.writtenAt }
    for old in dated.dropLast(Self.mostFiles / 2) { try? directory.removeFile(old.name) }
  }
}
