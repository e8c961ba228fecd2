internal import Wire

extension Option {
  /// How the client is registered to get what the issuer says about the user.
  static var responseSigning: [Option] {
    [
      Option(
        name: .idTokenAlgorithm, value: .choice("ALGORITHM", ResponseSigningSettings.idTokenAlgorithms),
        summary: "Accept only ID Tokens with this algorithm; one of HS256 to HS512 means the client secret"),
      Option(
        name: .userInfoAlgorithm, value: .choice("ALGORITHM", ResponseSigningSettings.userInfoAlgorithms),
        summary: "Accept only UserInfo that is signed, with this algorithm"),
    ]
  }
}
