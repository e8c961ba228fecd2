internal import Encoding
internal import Sessions
internal import Wire

extension ClientRegistrationRecord.Deletion {
  /// Adds `client_deleted`, and where that is false `client_detail`.
  func add(to result: inout JSONObject) {
    result["client_deleted"] = .bool(self == .deleted || self == .gone)
    result["client_detail"] = detail.map { .string($0) }
  }

  /// Text for people about an unconfirmed deletion; nil if the server confirmed it.
  private var detail: String? {
    switch self {
    case .deleted: nil
    case .gone: "the server no longer knew it"
    case .local: "the server was not told"
    case .notOffered: "the server offers no way to delete it"
    case .failed(let error): Failure(error, account: nil).message
    }
  }
}
