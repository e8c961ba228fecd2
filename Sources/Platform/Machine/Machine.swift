internal import CPlatform
internal import Glibc

package enum Machine {
  package static var userID: UInt32 { agent_user_id() }

  package static var processID: Int32 { getpid() }

  /// The machine ID, 16 bytes; nil in containers and new images (`machine-id(5)`). Confidential: hash it before it
  /// leaves the program.
  package static func identity(path: String = "/etc/machine-id") -> [UInt8]? {
    guard let text = readSmallFile(path) else { return nil }
    let line = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
    guard line.count == 32 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: line.startIndex, to: line.endIndex, by: 2) {
      guard let high = hexadecimal(line[index]), let low = hexadecimal(line[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes.contains { $0 != 0 } ? bytes : nil
  }

  /// Nil without /proc.
  package static func bootID() -> String? {
    guard let text = readSmallFile("/proc/sys/kernel/random/boot_id") else { return nil }
    let id = String(decoding: text.filter { $0 > 0x20 }, as: UTF8.self)
    return id.isEmpty ? nil : id
  }

  /// The PID namespace's number; nil outside of containers.
  package static var processNamespace: UInt64? {
    var status = stat()
    // PROC_PID_INIT_INO in linux/proc_ns.h.
    guard unsafe stat("/proc/self/ns/pid", &status) == 0, status.st_ino != 0xEFFF_FFFC else { return nil }
    return UInt64(status.st_ino)
  }

  /// Whether this is the Windows Subsystem for Linux. Connections from Windows come from root.
  package static let isWSL: Bool = {
    let release = readSmallFile("/proc/sys/kernel/osrelease") ?? []
    let letters = release.map { $0 | 0x20 }
    return letters.indices.contains { letters[$0...].starts(with: "microsoft".utf8) }
  }()

  /// The host name, or "localhost".
  package static func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 257)
    let result = unsafe buffer.withUnsafeMutableBufferPointer { unsafe gethostname($0.baseAddress!, $0.count - 1) }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return result == 0 && !bytes.isEmpty ? String(decoding: bytes, as: UTF8.self) : "localhost"
  }

  /// This program's file, without symbolic links; empty without /proc.
  package static func executablePath() -> String { LinkWalk.target(of: "/proc/self/exe") ?? "" }

  /// The disk space that this user can fill near a path; nil if unknown.
  package static func freeBytes(near path: String) -> Int? {
    var path = path
    var system = statvfs()
    while unsafe statvfs(path, &system) != 0 {
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return nil }
      path = String(path[..<slash])
    }
    return Int(clamping: UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize)).partialValue)
  }

  /// Nil without /proc.
  private static let program: (path: String, file: stat)? = {
    var file = stat()
    return unsafe stat("/proc/self/exe", &file) == 0 ? (executablePath(), file) : nil
  }()

  /// Whether this program's file was replaced, moved or removed. False without /proc.
  package static var isProgramReplaced: Bool {
    guard let program else { return false }
    var current = stat()
    guard unsafe stat(program.path, &current) == 0 else { return true }
    return program.file.st_ino != current.st_ino || program.file.st_dev != current.st_dev
  }

  /// Nil if the directory was removed or its path is not UTF-8.
  package static func currentDirectory() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe getcwd(&buffer, buffer.count) != nil else { return nil }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Passes the current directory's absolute path, up to the first component that is not UTF-8. Allocates no heap
  /// memory. Nil if the directory is removed or unreachable.
  package static func withCurrentDirectory<Result>(_ body: (Span<UInt8>) -> Result) -> Result? {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      unsafe buffer.initialize(repeating: 0)
      let isKnown = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
        unsafe getcwd(text.baseAddress, text.count) != nil
      }
      guard isKnown, var end = unsafe buffer.firstIndex(of: 0) else { return nil }
      while unsafe (try? UTF8Span(validating: UnsafeBufferPointer(rebasing: buffer[..<end]).span)) == nil {
        end = unsafe max(1, buffer[..<end].lastIndex(of: UInt8(ascii: "/")) ?? 1)
      }
      return body(unsafe UnsafeBufferPointer(rebasing: buffer[..<end]).span)
    }
  }

  /// The absolute path without symbolic links. Throws `ENOTDIR` for other files, `EILSEQ` if not UTF-8.
  package static func resolvedDirectory(_ path: String) throws(SystemError) -> String {
    try SystemCall.checkText(path, "realpath")
    guard let resolved = unsafe realpath(path, nil) else {
      throw SystemError(errno: Glibc.errno, operation: "realpath")
    }
    defer { unsafe free(resolved) }
    var status = stat()
    guard unsafe stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw SystemError(errno: ENOTDIR, operation: "realpath")
    }
    guard let text = unsafe String(validatingCString: resolved) else {
      throw SystemError(errno: EILSEQ, operation: "realpath")
    }
    return text
  }

  private static func readSmallFile(_ path: String) -> [UInt8]? { try? FileDescriptor.content(of: path, limit: 4096) }

  private static func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
