internal import Vocabulary

extension Options {
  static var accountSettings: [OptionDeclaration] { AccountSetting.withOption.map(\.declaration) + levelSecrets }

  /// The settings that affect client metadata.
  static let clientMetadata = [
    AccountSetting.table.clientID, AccountSetting.table.redirectURI, AccountSetting.table.scope,
    AccountSetting.table.dpop, AccountSetting.table.tokenEndpointAuthMethod, AccountSetting.table.clientKeyAlgorithm,
    AccountSetting.table.clientKeyID, AccountSetting.table.idTokenAlgorithm, AccountSetting.table.userInfoAlgorithm,
    AccountSetting.table.allowHTTPLoopback,
  ]
}

extension AccountSetting {
  static var withOption: [AccountSetting] { all.filter { $0.option.map { !$0.isShared } ?? false } }

  var declaration: OptionDeclaration {
    let metavar = option?.metavar ?? ""
    let argument: OptionArgument =
      switch kind {
      case .text, .texts: .text(metavar)
      case .file: .file(metavar)
      case .flag: .none
      case .choice where self === AccountSetting.table.provider:
        .choice(metavar, Provider.builtIn.map(\.name.rawValue)) {
          AdministratorFiles.read().providers.map(\.name.rawValue)
        }
      case .choice(let words): .choice(metavar, words)
      }
    return OptionDeclaration(
      name: optionName, group: option?.group ?? .service, short: option?.short, argument: argument,
      repeats: kind == .texts,
      summary: summary)
  }

  /// Splits arguments at spaces, if the setting permits that.
  func values(of occurrences: [String]) -> [String] {
    guard option?.splitsAtSpaces ?? false else { return occurrences }
    return occurrences.flatMap { text in text.split(separator: " ").map { String($0) } }
  }
}

extension Option<String?> {
  static var issuer: Self { Self(AccountSetting.table.issuer) }
  static var audience: Self { Self(AccountSetting.audience) }
  static var authorizationDetails: Self { Self(AccountSetting.authorizationDetails) }
  static var caFile: Self { Self(AccountSetting.table.caFile) }
  static var refreshTokenFile: Self { file("refresh-token-file", in: .signIn, with: "the refresh token") }
  static var refreshTokenFD: Self { descriptor("refresh-token-fd", in: .signIn, with: "the refresh token") }
}

extension Option<[String]> {
  static var scope: Self { Self(AccountSetting.scope) }
  static var resource: Self { Self(AccountSetting.resource) }
}

extension Option<Bool> {
  static var allowHTTPLoopback: Self { Self(AccountSetting.table.allowHTTPLoopback) }
}

extension Option<[AccountSetting]> {
  static var unsetSettings: Self {
    Self(
      "unset", in: .service, "SETTING", several: AccountSetting.all.filter(\.canBeUnset), by: { $0.optionName },
      "Reset this setting to its default; may be given several times")
  }
}
