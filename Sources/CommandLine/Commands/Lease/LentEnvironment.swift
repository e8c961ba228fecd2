internal import Encoding
internal import Platform
internal import Wire

enum LentEnvironment {
  /// The environment with the lease's socket, without this program's variables, those that accounts set, and those with
  /// a token. Throws if the daemon cannot check the values.
  static func make(lending path: String, _ client: DaemonClient) throws(Failure) -> [[UInt8]] {
    let entries = TokenVariables.removed(from: Environment.entries()).filter { !$0.starts(with: ownPrefix.utf8) }
    var (isKept, mapped): ([Bool], Set<String>) = (Array(repeating: true, count: entries.count), [])
    for part in parts(of: entries) {
      let result = try screenValues(part.map { entries[$0].value }, client)
      for number in result.tokenIndices { isKept[part[number]] = false }
      mapped.formUnion(result.accountVariables)
    }
    let kept = zip(entries, isKept).filter { entry, isKept in
      isKept && !mapped.contains { name in entry.name.elementsEqual(name.utf8) }
    }
    return kept.map(\.0) + [Array("AGENT_SOCKET=\(path)".utf8)]
  }

  private static let ownPrefix = "AGENT_"

  /// Groups entries' indices into requests of limited size. Omits values too short for a token.
  static func parts(of entries: [[UInt8]]) -> [[Int]] {
    var (parts, bytes): ([[Int]], Int) = ([[]], 0)
    for (number, entry) in entries.enumerated() {
      let count = entry.value.count + 1
      guard count > EnvironmentScreening.minimumValueBytes else { continue }
      if bytes + count > EnvironmentScreening.maximumBytes {
        parts.append([])
        bytes = 0
      }
      parts[parts.count - 1].append(number)
      bytes += count
    }
    return parts
  }

  /// Asks the daemon which values contain a token, and which variables accounts set.
  private static func screenValues(
    _ values: [ArraySlice<UInt8>], _ client: DaemonClient
  ) throws(Failure) -> (tokenIndices: [Int], accountVariables: [String]) {
    var bytes: [UInt8] = []
    for value in values { bytes += value + [0] }
    // A request without values still returns the names.
    if bytes.isEmpty { bytes = [0] }
    defer { bytes.overwrite() }
    let content: SharedDescriptor
    do { content = SharedDescriptor(try FileDescriptor.inMemory(bytes.span)) } catch {
      throw Failure(error, doing: "cannot pass the environment to the command")
    }
    let result = try client.ask(.screenEnvironment(), passing: [content])
    guard let holding = result["holding"]?.array?.compactMap(\.int), let mapped = result["mapped"]?.array,
      holding.allSatisfy(values.indices.contains)
    else { throw Reply.unreadable }
    return (holding, mapped.compactMap(\.string))
  }
}

extension [UInt8] {
  /// The entire entry if it has no "=".
  fileprivate var name: ArraySlice<UInt8> { prefix { $0 != UInt8(ascii: "=") } }
  fileprivate var value: ArraySlice<UInt8> { drop { $0 != UInt8(ascii: "=") }.dropFirst() }
}
