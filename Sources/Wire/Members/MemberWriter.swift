internal import Encoding

/// Writes members as JSON text, in order. Omits absent ones and false flags.
struct MemberWriter: MemberVisitor {
  private(set) var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(256)
    bytes.append(UInt8(ascii: "{"))
  }

  mutating func visit(
    _ name: String, _ value: inout JSON?, _ form: MemberForm, isRequired: Bool, _ meaning: () -> String
  ) {
    guard let value, value != false else { return }
    begin(name)
    bytes.append(json: value)
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

  /// Returns the closed object, without a newline.
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
