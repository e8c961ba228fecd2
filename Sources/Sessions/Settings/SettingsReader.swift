internal import Encoding
internal import Vocabulary

/// Reads members of an object in the settings file. Errors name the invalid member.
struct SettingsReader {
  let object: JSONObject
  /// The object's path in errors.
  let place: String

  func text(_ name: String) throws(ConfigurationError) -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.string, text.utf8.count <= AccountSetting.maximumTextBytes, !text.utf8.contains(0) else {
      throw ConfigurationError(.invalid, "\(place).\(name)")
    }
    return text
  }

  func texts(_ name: String) throws(ConfigurationError) -> [String] {
    guard let value = object[name] else { return [] }
    guard let array = value.array, array.count <= AccountSetting.maximumListCount else {
      throw ConfigurationError(.invalid, "\(place).\(name)")
    }
    var texts: [String] = []
    for element in array {
      guard let text = element.string, text.utf8.count <= AccountSetting.maximumTextBytes, !text.utf8.contains(0) else {
        throw ConfigurationError(.invalid, "\(place).\(name)")
      }
      texts.append(text)
    }
    return texts
  }
}
