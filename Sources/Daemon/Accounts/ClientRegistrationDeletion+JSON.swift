internal import Encoding
internal import Sessions
internal import Wire

extension ClientRegistrationRecord.Deletion {
  /// Adds `client_deleted` and, if it is false, `client_detail`.
  func add(to result: inout JSONObject) {
    result["client_deleted"] = .bool(self == .deleted || self == .gone)
    detail?.addMembers(to: &result, as: "client_detail")
  }

  /// Explains why the client may still exist. Nil if it was deleted.
  private var detail: Phrase? {
    switch self {
    case .deleted: nil
    case .gone: Phrase("the server no longer knows it")
    case .local: Phrase("the server was not contacted")
    case .notOffered: Phrase("the server offers no way to delete it")
    case .failed(let error): Failure(error, account: nil).text
    }
  }
}
