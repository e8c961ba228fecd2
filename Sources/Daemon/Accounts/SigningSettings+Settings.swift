internal import Sessions
internal import Wire

extension SigningSettings {
  /// Applies the settings that the request names; keeps all others.
  mutating func apply(_ given: ResponseSigningSettings) {
    idTokenAlgorithm = given.idTokenAlgorithm ?? idTokenAlgorithm
    userInfoAlgorithm = given.userInfoAlgorithm ?? userInfoAlgorithm
  }

  /// The settings in the form of a request.
  var settings: ResponseSigningSettings {
    var settings = ResponseSigningSettings()
    settings.idTokenAlgorithm = idTokenAlgorithm
    settings.userInfoAlgorithm = userInfoAlgorithm
    return settings
  }
}
