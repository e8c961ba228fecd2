internal import Sessions
internal import Wire

extension SigningSettings {
  /// Takes what is named over; what is not named stays.
  mutating func apply(_ given: ResponseSigningSettings) {
    idTokenAlgorithm = given.idTokenAlgorithm ?? idTokenAlgorithm
    userInfoAlgorithm = given.userInfoAlgorithm ?? userInfoAlgorithm
  }

  /// What requests call these settings.
  var settings: ResponseSigningSettings {
    var settings = ResponseSigningSettings()
    settings.idTokenAlgorithm = idTokenAlgorithm
    settings.userInfoAlgorithm = userInfoAlgorithm
    return settings
  }
}
