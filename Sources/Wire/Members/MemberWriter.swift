internal import Encoding

/// Writes members as JSON text, in order and without absent ones.
///
/// Builds no tree of values, because each call of the client writes a request.
struct MemberWriter: MemberVisitor {
  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(256)
    bytes.append(UInt8(ascii: "{"))
  }

  mutating func visitText(
    _ name: String, _ value: inout String?, limit: Int?, isRequired: Bool, _ meaning: () -> String
  ) {
    guard let value else { return }
    begin(name)
    bytes.append(jsonString: value)
  }

  mutating func visitFlag(_ name: String, _ value: inout Bool, _ meaning: @autoclosure () -> String) {
    guard value else { return }
    begin(name)
    bytes.append(utf8: "true")
  }

  mutating func visitNumber(
    _ name: String, _ value: inout Int?, in range: ClosedRange<Int>, isRequired: Bool, _ meaning: () -> String
  ) {
    guard let value else { return }
    begin(name)
    bytes.append(utf8: "\(value)")
  }

  mutating func visitTexts(
    _ name: String, _ value: inout [String], orOne: Bool, _ meaning: @autoclosure () -> String
  ) {
    guard !value.isEmpty else { return }
    begin(name)
    bytes.append(UInt8(ascii: "["))
    for index in value.indices {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(jsonString: value[index])
    }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func visitNumbers(
    _ name: String, _ value: inout [Int], in range: ClosedRange<Int>, limit: Int, _ meaning: @autoclosure () -> String
  ) {
    guard !value.isEmpty else { return }
    begin(name)
    bytes.append(utf8: "[\(value.map(String.init).joined(separator: ","))]")
  }

  mutating func visitWord(
    _ name: String, _ value: inout String?, among words: () -> [String], isRequired: Bool, _ meaning: () -> String
  ) -> Bool {
    visitText(name, &value, limit: nil, isRequired: isRequired, meaning)
    return false
  }

  mutating func visitValue<Value: MemberValue>(
    _ name: String, _ value: inout Value?, isRequired: Bool, _ meaning: () -> String
  ) {
    var object = JSONObject()
    value?.addMembers(to: &object, as: name)
    for name in object.names {
      begin(name)
      bytes.append(contentsOf: object[name]?.serialized() ?? [])
    }
  }

  mutating func visitSettings(_ value: inout AccountSettings, among settings: [AccountSetting]) {
    for setting in settings {
      guard let value = setting.value(in: value) else { continue }
      begin(setting.name)
      bytes.append(contentsOf: value.serialized())
    }
  }

  func check(_ isValid: @autoclosure () -> Bool, _ message: @autoclosure () -> Phrase) {}

  /// Closes the object and returns it, without a newline.
  mutating func finish() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// Writes a member's name.
  private mutating func begin(_ name: String) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(utf8: name)
    bytes.append(utf8: "\":")
  }
}
