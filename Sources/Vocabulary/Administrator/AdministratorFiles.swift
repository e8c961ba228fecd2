internal import Encoding
internal import Platform

/// The administrator's providers, account presets and client IDs for all users, in JSON files. Files and directories
/// must be root's and writable only by root.
package struct AdministratorFiles: Sendable {
  package typealias Problem = FileObject.Problem

  package static let directory = "/etc/agent"
  private static let suffix = ".json"
  private static let maximumFiles = 100

  package var providers: [Provider] = []
  package var presets: [AccountPreset] = []
  package private(set) var clients = Result<ClientsFile, Problem>.success(ClientsFile())
  /// Invalid files, directories and clients, which are ignored.
  package var problems: [Problem] = []

  /// As of the latest ``read(checking:)``, for all threads.
  package static var current: AdministratorFiles { last.withLock { $0 } }
  /// The value of ``current``.
  private static let last = Monitor(AdministratorFiles())

  private init() {}

  /// Reads all files. Blocking. `owner` is the administrator's user ID; `isProgram` accepts command lines of `agent
  /// setup`.
  package init(in directory: String, owner: UInt32 = 0, checking isProgram: (String) -> Bool = { _ in true }) {
    providers = readFiles(in: Self.providerDirectory(directory), owner) { object, name throws(Problem) in
      try Provider(object, name)
    }
    presets = readFiles(in: Self.presetDirectory(directory), owner) { object, name throws(Problem) in
      try AccountPreset(object, name, checking: isProgram)
    }
    clients = Result { () throws(Problem) in
      let object = try Self.object(at: "\(directory)/\(ClientsFile.name)", owner)
      return object.map { ClientsFile($0, providers + Provider.builtIn) } ?? ClientsFile()
    }
    problems += clients.problems
  }

  /// Reads this machine's files into ``current``. Blocking. `isProgram` accepts command lines of `agent setup`.
  @discardableResult
  package static func read(checking isProgram: (String) -> Bool = { _ in true }) -> AdministratorFiles {
    let files = AdministratorFiles(in: directory, checking: isProgram)
    last.withLock { $0 = files }
    Provider.administratorDefined.withLock { $0 = files.providers }
    return files
  }

  package static func providerDirectory(_ directory: String = directory) -> String { "\(directory)/providers.d" }
  package static func presetDirectory(_ directory: String = directory) -> String { "\(directory)/accounts.d" }

  /// The problem of this provider's or account's file, or of its directory.
  package func problem(of name: String) -> Problem? {
    let directories = [Self.presetDirectory(), Self.providerDirectory()]
    let paths = directories.map { "\($0)/\(name)\(Self.suffix)" } + directories
    return paths.lazy.compactMap { path in problems.first { $0.path.hasSameBytes(as: path) } }.first
  }

  /// Reads a directory's valid files with `read`, passing object and file name without suffix. Adds others to
  /// ``problems``.
  private mutating func readFiles<Value>(
    in directory: String, _ owner: UInt32, _ read: (FileObject, String) throws(Problem) -> Value
  ) -> [Value] {
    let names: [String]
    do throws(DirectoryError) {
      names = try PrivateDirectory.names(in: directory, changedOnlyBy: owner, limit: Self.maximumFiles) ?? []
    } catch {
      problems.append(Problem(path: directory, cause: .unreadable(error)))
      return []
    }
    var values: [Value] = []
    for name in names.sorted() where name.hasSuffix(Self.suffix) {
      let path = "\(directory)/\(name)"
      do throws(Problem) {
        guard let object = try Self.object(at: path, owner) else { continue }
        values.append(try read(object, String(name.dropLast(Self.suffix.count))))
      } catch {
        problems.append(error)
      }
    }
    return values
  }

  private static func object(at path: String, _ owner: UInt32) throws(Problem) -> FileObject? {
    let bytes: [UInt8]?
    do throws(DirectoryError) {
      bytes = try PrivateDirectory.readFile(at: path, changedOnlyBy: owner, limit: FileObject.maximumBytes)
    } catch {
      throw Problem(path: path, cause: .unreadable(error))
    }
    return try bytes.map { (bytes) throws(Problem) in try FileObject(path, bytes) }
  }
}
