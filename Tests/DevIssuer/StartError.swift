import Crypto
import Platform

/// Why the issuer cannot start.
enum StartError: Error, Hashable, Sendable {
  case system(SystemError)
  case crypto(CryptoError)
  case clientSecretFile(SystemError)
  case clientSecretFileExists
  case clientKeyFile(SystemError)
  case clientKeys
  case log(SystemError)

  /// One sentence, lower case, no full stop.
  var message: String {
    switch self {
    case .system(let error) where error.isAddressInUse: "the port is in use"
    case .system(let error) where error.isPermissionDenied: "the port needs more rights"
    case .system(let error): "cannot listen: \(error.operation): \(error.message)"
    case .crypto(let error): "cannot make a key: \(error.operation)"
    case .clientSecretFile(let error): "cannot write the client secret file: \(error.message)"
    case .clientSecretFileExists: "the client secret file is there already, or cannot be written"
    case .clientKeyFile(let error): "cannot read the client's keys: \(error.message)"
    case .clientKeys: "the file has no public key that can be used"
    case .log(let error): "cannot open the log: \(error.message)"
    }
  }
}
