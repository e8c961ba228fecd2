import Encoding

/// How the issuer behaves: a value for each row of ``IssuerSetting/all``. Options set them at the start, the control
/// endpoint changes them later.
struct IssuerSettings: Sendable {
  private var values = [String: JSON](uniqueKeysWithValues: IssuerSetting.all.map { ($0.name, $0.initial) })

  /// A value; there is one for each name of a row, and no other.
  subscript(name: String) -> JSON {
    get { values[name]! }
    set { values[name] = newValue }
  }

  func number(_ name: String) -> Int { self[name].int ?? 0 }

  func isOn(_ name: String) -> Bool { self[name] == true }

  /// Nil for a setting that is off.
  func text(_ name: String) -> String? { self[name].string }

  /// The entries of a list, each with its value.
  func entries(_ name: String) -> JSONObject { self[name].object ?? [:] }

  func endpoint(_ name: String) -> IssuerEndpoint? { text(name).flatMap(IssuerEndpoint.init) }

  /// Gives a setting the value that it has where nothing sets it.
  mutating func reset(_ name: String) { self[name] = IssuerSettings()[name] }
}
