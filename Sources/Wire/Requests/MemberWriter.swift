internal import Encoding
internal import Vocabulary

/// Writes the members of a request in order. An absent one is left out.
///
/// Requests are written for every call of the client, so no tree of values is built for them.
struct MemberWriter {
  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(256)
    bytes.append(UInt8(ascii: "{"))
  }

  mutating func add(_ name: String, _ text: String?) {
    guard let text else { return }
    begin(name)
    bytes.append(jsonString: text)
  }

  mutating func add(_ name: String, _ number: Int?) {
    guard let number else { return }
    begin(name)
    bytes.append(utf8: "\(number)")
  }

  /// A flag that is not set is left out.
  mutating func add(_ name: String, _ flag: Bool) {
    guard flag else { return }
    begin(name)
    bytes.append(utf8: "true")
  }

  /// A list without elements is left out.
  mutating func add(_ name: String, _ texts: [String]) {
    guard !texts.isEmpty else { return }
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for index in texts.indices {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(jsonString: texts[index])
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A list of numbers; an empty one is left out.
  mutating func add(_ name: String, _ numbers: [Int]) {
    guard !numbers.isEmpty else { return }
    begin(name)
    bytes.append(utf8: "[\(numbers.map(String.init).joined(separator: ","))]")
  }

  /// The settings that are named.
  mutating func add(_ settings: AccountSettings, among rows: [AccountSetting] = AccountSetting.all) {
    for setting in rows {
      guard let value = setting.value(in: settings) else { continue }
      begin(setting.name)
      bytes.append(contentsOf: value.serialized())
    }
  }

  /// Closes the object. The caller adds the line feed.
  mutating func finish() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  private mutating func begin(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(utf8: name)
    bytes.append(utf8: "\":")
  }
}
