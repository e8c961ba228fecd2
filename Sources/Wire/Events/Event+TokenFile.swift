internal import Encoding

extension Event {
  /// A change of a token file.
  package struct TokenFile: Sendable, Hashable {
    package var account: String
    /// Its absolute path.
    package var path: String
    /// The reason for its removal; nil if it was written.
    package var removal: FailureCode?
    /// The expiry of its token, in unix seconds; nil if the server named no lifetime, or if the file was removed.
    package var expiresAt: Int?

    package init(account: String, path: String, removal: FailureCode? = nil, expiresAt: Int? = nil) {
      self.account = account
      self.path = path
      self.removal = removal
      self.expiresAt = expiresAt
    }

    /// `{"event":"token_file","account","path","state",…}`.
    var json: JSONObject {
      var object = JSONObject([
        ("event", "token_file"), ("account", .string(account)), ("path", .string(path)),
        ("state", removal == nil ? "written" : "removed"),
      ])
      object["code"] = removal.map { .string($0.rawValue) }
      object["expires_at"] = expiresAt.map { .int($0) }
      return object
    }

    init?(json: JSON) {
      guard let account = json["account"]?.string, let path = json["path"]?.string, let state = json["state"]?.string
      else { return nil }
      self.init(account: account, path: path, expiresAt: json["expires_at"]?.int)
      if state == "removed" {
        removal = json["code"]?.string.flatMap { FailureCode(rawValue: $0) } ?? .internalError
      }
    }
  }
}
