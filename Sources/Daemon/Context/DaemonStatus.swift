internal import Crypto
internal import Encoding
internal import HTTP
internal import Platform
internal import QRCode
internal import Wire

struct DaemonStatus {
  let startedAt: Instant
  let socketPath: String?
  /// Nil in tests without a loop.
  var loop: EventLoop?

  /// The result of `agent daemon status`.
  func json(time: any TimeSource) -> JSONObject {
    var object = JSONObject([
      ("pid", .int(Int(Machine.processID))),
      ("uptime", .int(Int(startedAt.duration(to: time.now()).components.seconds))),
    ])
    let build = VersionInfo.json
    for name in build.names { object[name] = build[name] }
    object["socket"] = socketPath.map { .string($0) }
    object["settings_directory"] = (try? UserDirectories.configHome).map { .string($0 + "/agent") }
    object["state_directory"] = (try? UserDirectories.stateHome).map { .string($0 + "/agent") }
    if Namespaces.arePrivate { object["own_namespaces"] = true }
    let group = ControlGroup.current
    object["service"] = group.service.map { .string($0) }
    if Machine.isProgramReplaced { object["program_replaced"] = true }
    if let memory = try? MemoryUse.ofThisProcess() {
      object["memory_pss_kib"] = .int(memory.pssKiB)
      object["memory_private_dirty_kib"] = .int(memory.privateDirtyKiB)
    }
    object["longest_turn_us"] = (loop?.longestTurn).map { .int(Int($0 / .microseconds(1))) }
    object["secure_heap"] = .string(SecureHeap.state.rawValue)
    object["secure_heap_used"] = .int(SecureHeap.usedBytes)
    var limits = JSONObject()
    for limit in ResourceLimit.allCases { limits[Self.name(of: limit)] = limit.soft.map { .int($0) } }
    limits["group_memory_bytes"] = group.memoryBytes.map { .int($0) }
    object["limits"] = .object(limits)
    return object
  }

  private static func name(of limit: ResourceLimit) -> String {
    switch limit {
    case .processorSeconds: "processor_seconds"
    case .fileBytes: "file_bytes"
    case .dataBytes: "data_bytes"
    case .stackBytes: "stack_bytes"
    case .processes: "processes"
    case .descriptors: "descriptors"
    case .lockedBytes: "locked_bytes"
    case .addressSpaceBytes: "address_space_bytes"
    }
  }
}

enum VersionInfo {
  /// `{"version","commit","libraries"}`.
  static var json: JSONObject {
    var object = JSONObject([("version", .string(Product.version))])
    object["commit"] = Product.commit.map { .string($0) }
    object["libraries"] = .object(
      JSONObject([
        ("libcurl", .string(CurlLibrary.version)), ("openssl", .string(CryptoLibrary.version)),
        ("libqrencode", .string(QRCode.libraryVersion)),
      ]))
    return object
  }

  static let text = "agentd \(Product.version)\n"
}
