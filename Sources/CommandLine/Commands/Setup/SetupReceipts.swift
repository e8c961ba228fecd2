internal import Encoding
internal import Platform
internal import Wire

/// The record of an addition by `setup`, for its removal. Contains none of the file's earlier content.
struct SetupReceipt: Sendable, Hashable {
  let client: SetupClient
  /// The configured origin; nil if the client has one setting for all.
  let url: String?
  /// The entry's name, if the client supports several for one origin.
  var entry: String?
  let account: String?
  let file: String
  /// The added text or member; nil if the file already contained it.
  var addition: SetupAddition?
  var hasCreatedFile: Bool
  /// The link in ``SetupLinks``, if any.
  var link: (name: String, target: String)? { linkName.flatMap { name in linkTarget.map { (name, $0) } } }
  var linkName: String?
  var linkTarget: String?

  func matches(_ client: SetupClient, _ url: String?, _ entry: String?, in file: SetupFile) -> Bool {
    self.client == client && self.url == url && self.entry == entry && self.file == file.path
  }
}

struct SetupReceipts {
  var all: [SetupReceipt]

  init() { all = [] }

  private static let name = "setup.json"
  private static let lockName = "setup.lock"
  private static let maximumBytes = 1 << 20
  /// The timeout for another command to release the lock.
  private static let timeout = Duration.seconds(WireProtocol.defaultTimeoutSeconds)

  /// Throws `storage` if the file is damaged, newer, or accessible to others.
  static func read() throws(Failure) -> SetupReceipts {
    let directory: PrivateDirectory
    do throws(DirectoryError) { directory = try PrivateDirectory(opening: try path(), create: false) } catch {
      if case .system(let cause, _) = error, cause.isNotFound { return SetupReceipts() }
      throw Failure(error)
    }
    return try read(directory)
  }

  /// Locks the receipts, and writes them when `body` returns or throws.
  static func change<Result>(_ body: (inout SetupReceipts) throws(Failure) -> Result) throws(Failure) -> Result {
    let directory = try Self.directory()
    let lock = try Self.lock(directory)
    var receipts = try read(directory)
    let result = Swift.Result { () throws(Failure) in try body(&receipts) }
    try receipts.write(directory)
    lock.release()
    return try result.get()
  }

  /// Call it before changing a file, so that every addition has a receipt.
  func write(_ directory: borrowing PrivateDirectory) throws(Failure) {
    let object = JSONObject([("version", .int(Self.version)), ("entries", .array(all.map { .object($0.json) }))])
    do {
      let bytes = JSON.object(object).serialized() + [UInt8(ascii: "\n")]
      try directory.replaceFile(Self.name, with: bytes.span)
    } catch {
      throw Failure(error, doing: "cannot record the setup in \(directory.path)/\(Self.name)")
    }
  }

  /// The state directory, created if missing.
  static func directory() throws(Failure) -> PrivateDirectory {
    do throws(DirectoryError) {
      return try PrivateDirectory(opening: try path(), create: true)
    } catch {
      throw Failure(error)
    }
  }

  private static func lock(_ directory: borrowing PrivateDirectory) throws(Failure) -> FileLock {
    do {
      return try directory.lock(lockName, wait: timeout)
    } catch {
      throw Failure(.system(error, path: "\(directory.path)/\(lockName)"))
    }
  }

  private static func path() throws(DirectoryError) -> String {
    do { return try UserDirectories.stateHome + "/agent" } catch { throw .system(error, path: "HOME") }
  }

  private static func read(_ directory: borrowing PrivateDirectory) throws(Failure) -> SetupReceipts {
    let path = "\(directory.path)/\(name)"
    let bytes: [UInt8]
    do { bytes = try directory.readFile(name, limit: maximumBytes) } catch {
      if error.isNotFound { return SetupReceipts() }
      throw Failure(
        FileProblem.of(path, mustBeFile: true).map { .untrusted($0, path: path) } ?? .system(error, path: path))
    }
    return try SetupReceipts(bytes, of: path)
  }

  private static let version = 1

  /// Throws `storage` if the content is damaged or newer.
  init(_ bytes: [UInt8], of path: String) throws(Failure) {
    let value = try? JSON(parsing: bytes)
    if let version = value?["version"]?.int, version > Self.version {
      throw Failure(.storage, "\(path) was written by a later version of this program")
    }
    let receipts = value?["entries"]?.array?.compactMap { SetupReceipt($0) } ?? []
    guard value?["version"]?.int == Self.version, receipts.count == value?["entries"]?.array?.count else {
      let other = ShellWord.quoted(path + ".damaged")
      throw Failure(
        .storage, "\(path) is damaged, so what setup added is unknown",
        hint: Phrase("to start over: \("mv \(ShellWord.quoted(path)) \(other)")"))
    }
    all = receipts
  }

  // MARK: - Undoing

  /// Removes an addition. Keeps the receipt if the addition was changed.
  mutating func undo(_ receipt: SetupReceipt) throws(Failure) -> SetupOutcome {
    var outcome = receipt.outcome
    outcome.state = .undone
    if let addition = receipt.addition {
      let file = try SetupFile(receipt.file)
      let old = try file.read()
      if let old, let (bytes, left) = addition.removed(from: old) {
        remove(receipt)
        let isEmpty = receipt.hasCreatedFile && bytes == addition.emptyFile
        if !isEmpty { passOwnership(receipt, left) }
        try file.replace(old, by: isEmpty ? nil : bytes)
      } else if old.map({ addition.hasTrace(in: $0) }) ?? false {
        outcome.state = .changed
        return outcome
      } else {
        outcome.state = .missing
      }
    }
    remove(receipt)
    if let link = receipt.link, !all.contains(where: { $0.linkName == link.name }) {
      try SetupLinks.remove(link.name, to: link.target)
    }
    return outcome
  }

  private mutating func remove(_ receipt: SetupReceipt) { all.removeAll { $0 == receipt } }

  /// Lets other receipts later remove what this one leaves: the file, if `setup` created it, and the enclosing objects
  /// added by `setup`, whose number is `left`.
  private mutating func passOwnership(_ receipt: SetupReceipt, _ left: Int) {
    guard case .member(let path, _, _)? = receipt.addition else {
      if receipt.hasCreatedFile, let heir = all.firstIndex(where: { $0.file == receipt.file && $0.addition != nil }) {
        all[heir].hasCreatedFile = true
      }
      return
    }
    for index in all.indices where all[index].file == receipt.file {
      if receipt.hasCreatedFile { all[index].hasCreatedFile = true }
      if left > 0, let addition = all[index].addition?.withAddedObjects(atLeast: left, around: path) {
        all[index].addition = addition
        return
      }
    }
  }
}

// MARK: - The file

extension SetupReceipt {
  fileprivate var json: JSONObject {
    var object = JSONObject([("client", .string(client.name)), ("file", .string(file))])
    object["place"] = url.map { .string($0) }
    object["entry"] = entry.map { .string($0) }
    object["account"] = account.map { .string($0) }
    if hasCreatedFile { object["file_made"] = .bool(true) }
    object["link"] = linkName.map { .string($0) }
    object["link_target"] = linkTarget.map { .string($0) }
    switch addition {
    case .text(let text, let prefix)?:
      object["text"] = .string(text)
      if !prefix.isEmpty { object["behind"] = .string(prefix) }
    case .member(let path, let value, let addedObjects)?:
      object["path"] = .array(path.map { .string($0) })
      object["value"] = value
      object["made"] = .int(addedObjects)
    case nil: break
    }
    return object
  }

  fileprivate init?(_ json: JSON) {
    guard let client = json["client"]?.string.flatMap({ SetupClient.named($0) }), let file = json["file"]?.string
    else { return nil }
    var addition: SetupAddition?
    if let text = json["text"]?.string {
      addition = .text(text, prefix: json["behind"]?.string ?? "")
    } else if let names = json["path"]?.array {
      let path = names.compactMap(\.string)
      guard let value = json["value"], let addedObjects = json["made"]?.int, path.count == names.count,
        (0..<path.count) ~= addedObjects
      else { return nil }
      addition = .member(path: path, value: value, addedObjects: addedObjects)
    }
    self.init(
      client: client, url: json["place"]?.string, entry: json["entry"]?.string, account: json["account"]?.string,
      file: file, addition: addition,
      hasCreatedFile: json["file_made"]?.bool ?? false, linkName: json["link"]?.string,
      linkTarget: json["link_target"]?.string)
  }
}
