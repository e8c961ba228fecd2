internal import CSystemd
internal import Platform

/// A listening D-Bus connection, for one thread. Every call may block.
@safe struct MessageBus: ~Copyable {
  enum Kind: Sendable {
    /// The system bus, with logind.
    case system
    /// The user's session bus.
    case user
  }

  struct Signal: Hashable {
    var sender: String?
    var path: String?
    var interface: String?
    var member: String?
    /// The first argument, if it is a boolean.
    var firstFlag: Bool?
  }

  private let bus: OpaquePointer

  /// - Throws: `ENOSYS` without libsystemd, or another error without such a bus.
  init(_ kind: Kind) throws(SystemError) {
    var opened: OpaquePointer?
    try Self.check(unsafe agent_bus_open(kind == .system ? 1 : 0, &opened), "sd_bus_open")
    unsafe bus = opened!
  }

  deinit { unsafe agent_bus_close(bus) }

  /// Subscribes to signals by a D-Bus match rule.
  func addMatch(_ rule: String) throws(SystemError) {
    try Self.check(unsafe agent_bus_match(bus, rule), "sd_bus_add_match")
  }

  /// The unique name of `name`'s current owner.
  func owner(of name: String) throws(SystemError) -> String {
    // At most 255 bytes (D-Bus specification, "Valid names").
    var owner = [CChar](repeating: 0, count: 256)
    let result = unsafe owner.withUnsafeMutableBufferPointer { buffer in
      unsafe agent_bus_owner(bus, name, buffer.baseAddress!, UInt(buffer.count))
    }
    try Self.check(result, "sd_bus_call_method")
    return String(decoding: owner.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Waits without a time limit.
  func nextSignal() throws(SystemError) -> Signal {
    var signal = unsafe agent_bus_signal()
    while true {
      let done = try Self.check(unsafe agent_bus_next(bus, &signal), "sd_bus_process")
      if done == 0 {
        try Self.check(unsafe agent_bus_wait(bus), "sd_bus_wait")
      } else if unsafe signal.member != nil {
        return unsafe Signal(signal)
      }
    }
  }

  /// Throws if `result` is a negative `errno`.
  @discardableResult
  private static func check(_ result: Int32, _ operation: String) throws(SystemError) -> Int32 {
    if result < 0 { throw SystemError(errno: -result, operation: operation) }
    return result
  }
}

extension MessageBus.Signal {
  fileprivate init(_ signal: agent_bus_signal) {
    unsafe sender = Self.text(signal.sender)
    unsafe path = Self.text(signal.path)
    unsafe interface = Self.text(signal.interface)
    unsafe member = Self.text(signal.member)
    unsafe firstFlag = signal.flag < 0 ? nil : signal.flag != 0
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    unsafe pointer.map { unsafe String(cString: $0) }
  }
}
