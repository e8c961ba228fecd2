internal import CPlatform
internal import Glibc

/// This process's environment. Change it before there are threads.
package enum Environment {
  /// Nil if the variable is unset. Repairs bytes that are not UTF-8.
  package static func value(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(decoding: UnsafeRawBufferPointer(start: value, count: strlen(value)), as: UTF8.self)
  }

  /// Whether a variable has a non-empty value.
  package static func isSet(_ name: String) -> Bool {
    guard let value = unsafe getenv(name) else { return false }
    return unsafe value.pointee != 0
  }

  /// All variables, in order. Skips entries without "=".
  package static func all() -> [(String, String)] {
    entries().compactMap { (entry) -> (String, String)? in
      guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let name = String(decoding: entry[..<equals], as: UTF8.self)
      return (name, String(decoding: entry[(equals + 1)...], as: UTF8.self))
    }
  }

  /// All "NAME=VALUE" entries as bytes.
  package static func entries() -> [[UInt8]] {
    var entries: [[UInt8]] = []
    while let entry = unsafe agent_environment_entry(entries.count) {
      let length = unsafe strlen(entry)
      entries.append(unsafe [UInt8](UnsafeRawBufferPointer(start: entry, count: length)))
    }
    return entries
  }

  /// Call it before there are threads.
  package static func keepOnly(where isKept: (String) -> Bool) {
    for (name, _) in all() where !isKept(name) {
      _ = unsafe agent_environment_remove(name)
    }
  }
  /// Call it before there are threads. Throws `EINVAL` for an invalid name.
  package static func set(_ name: String, to value: String) throws(SystemError) {
    try SystemCall.libc("setenv") { unsafe setenv(name, value, 1) }
  }
}
