internal import Encoding

extension Event {
  /// The user must open a URL in a browser, whose response ends the sign-in (RFC 6749, section 4.1).
  package struct Browser: Sendable, Hashable {
    /// Identifies the sign-in in a `login_redirect` request.
    package var login: String
    package var account: String
    package var issuer: String
    package var clientID: String
    package var scope: String?
    /// The URL to open. It is not secret, and usable only for this sign-in.
    package var url: String
    /// An address of the daemon's that leads to ``url`` once, for the command line of a browser, which other users can
    /// read; nil where the daemon cannot tell who opens it.
    package var linkURL: String?
    package var redirectURI: String
    /// Whether nothing listens at the redirect URI, so that the user must paste the URL of the response.
    package var mustPaste: Bool
    /// The end of the sign-in, in unix seconds.
    package var expiresAt: Int
    /// The expiry of ``url``, in unix seconds, if it is earlier.
    package var urlExpiresAt: Int?

    package init(
      login: String, account: String, issuer: String, clientID: String, scope: String?, url: String,
      linkURL: String? = nil, redirectURI: String, mustPaste: Bool, expiresAt: Int, urlExpiresAt: Int? = nil
    ) {
      self.login = login
      self.account = account
      self.issuer = issuer
      self.clientID = clientID
      self.scope = scope
      self.url = url
      self.linkURL = linkURL
      self.redirectURI = redirectURI
      self.mustPaste = mustPaste
      self.expiresAt = expiresAt
      self.urlExpiresAt = urlExpiresAt
    }
  }
}

extension Event.Browser {
  var json: JSONObject {
    var object = JSONObject([
      ("event", "browser"), ("login", .string(login)), ("account", .string(account)), ("issuer", .string(issuer)),
      ("client_id", .string(clientID)),
    ])
    if let scope { object["scope"] = .string(scope) }
    object["url"] = .string(url)
    object["link_url"] = linkURL.map { .string($0) }
    object["redirect_uri"] = .string(redirectURI)
    object["must_paste"] = .bool(mustPaste)
    object["expires_at"] = .int(expiresAt)
    if let urlExpiresAt { object["url_expires_at"] = .int(urlExpiresAt) }
    return object
  }

  init?(json: JSON) {
    guard let login = json["login"]?.string, let account = json["account"]?.string,
      let issuer = json["issuer"]?.string, let clientID = json["client_id"]?.string, let url = json["url"]?.string,
      let redirectURI = json["redirect_uri"]?.string, let expiresAt = json["expires_at"]?.int
    else { return nil }
    self.init(
      login: login, account: account, issuer: issuer, clientID: clientID, scope: json["scope"]?.string, url: url,
      linkURL: json["link_url"]?.string, redirectURI: redirectURI, mustPaste: json["must_paste"]?.bool ?? false,
      expiresAt: expiresAt,
      urlExpiresAt: json["url_expires_at"]?.int)
  }
}

extension Event {
  /// A person signed in whose browser may be another user's; nothing is stored until a `login_confirm` request.
  package struct Confirm: Sendable, Hashable {
    /// Identifies the sign-in in that request.
    package var login: String
    package var account: String
    package var issuer: String
    /// The person who signed in, by the ID Token; nil without one.
    package var subject: String?
    package var name: String?
    /// The end of the sign-in, in unix seconds.
    package var expiresAt: Int

    package init(login: String, account: String, issuer: String, subject: String?, name: String?, expiresAt: Int) {
      self.login = login
      self.account = account
      self.issuer = issuer
      self.subject = subject
      self.name = name
      self.expiresAt = expiresAt
    }
  }
}

extension Event.Confirm {
  var json: JSONObject {
    var object = JSONObject([
      ("event", "confirm"), ("login", .string(login)), ("account", .string(account)), ("issuer", .string(issuer)),
    ])
    object["subject"] = subject.map { .string($0) }
    object["name"] = name.map { .string($0) }
    object["expires_at"] = .int(expiresAt)
    return object
  }

  init?(json: JSON) {
    guard let login = json["login"]?.string, let account = json["account"]?.string,
      let issuer = json["issuer"]?.string, let expiresAt = json["expires_at"]?.int
    else { return nil }
    self.init(
      login: login, account: account, issuer: issuer, subject: json["subject"]?.string, name: json["name"]?.string,
      expiresAt: expiresAt)
  }
}
