extension Event {
  /// The user must open a URL; its redirect completes the sign-in (RFC 6749, section 4.1).
  package struct Browser: EventBody, Sendable, Hashable {
    /// For a `login_redirect` request.
    package var loginID: String
    package var account: String
    package var issuer: String
    package var clientID: String
    package var scope: String?
    /// The URL to open, usable only for this sign-in. Not secret.
    package var url: String
    /// Redirects to ``url`` once: for a browser's command line, which others can read. Nil if the daemon cannot
    /// determine who opens it.
    package var linkURL: String?
    package var redirectURI: String
    /// Whether the user must paste the redirect's URL.
    package var mustPaste: Bool
    /// The end of the sign-in, in unix seconds.
    package var expiresAt: Int
    /// In unix seconds; nil unless earlier than ``expiresAt``.
    package var urlExpiresAt: Int?

    package init(
      loginID: String, account: String, issuer: String, clientID: String, scope: String?, url: String,
      linkURL: String? = nil, redirectURI: String, mustPaste: Bool, expiresAt: Int, urlExpiresAt: Int? = nil
    ) {
      self.loginID = loginID
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

    static let emptyInstance = Self(
      loginID: "", account: "", issuer: "", clientID: "", scope: nil, url: "", redirectURI: "", mustPaste: false,
      expiresAt: 0)

    package var event: Event { .browser(self) }
    package var manualEntry: EventManualEntry {
      EventManualEntry("browser", "The user must open a URL in a browser; see RFC 6749, section 4.1.")
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      try members.visitSignIn(&loginID, &account, &issuer)
      try members.visitClient(&clientID, &scope)
      try members.visitText("url", &url, "The URL. The daemon does not open it.")
      try members.visitText(
        "link_url", &linkURL,
        "A URL at 127.0.0.1 or [::1] that redirects there once. Use it to start a browser, because other users can"
          + " read its command line. Serves only this user's connections; absent if the daemon cannot determine the user of"
          + " a connection.")
      try members.visitText("redirect_uri", &redirectURI, "The redirect URI.")
      try members.visitFlag(
        "must_paste", &mustPaste, "Nothing listens there: send the URL at which the browser ends with `login_redirect`."
      )
      try members.visitNumber("expires_at", &expiresAt, "When the sign-in times out.")
      try members.visitNumber(
        "url_expires_at", &urlExpiresAt, "When the URL expires, if that is sooner.")
    }
  }

  /// A user, maybe not the caller, has signed in. Nothing is stored before a `login_confirm` request.
  package struct Confirm: EventBody, Sendable, Hashable {
    /// For a `login_confirm` request.
    package var loginID: String
    package var account: String
    package var issuer: String
    /// The `sub` of the ID Token.
    package var subject: String?
    /// The name or email address in the ID Token.
    package var name: String?
    /// In unix seconds.
    package var expiresAt: Int

    package init(loginID: String, account: String, issuer: String, subject: String?, name: String?, expiresAt: Int) {
      self.loginID = loginID
      self.account = account
      self.issuer = issuer
      self.subject = subject
      self.name = name
      self.expiresAt = expiresAt
    }

    static let emptyInstance = Self(loginID: "", account: "", issuer: "", subject: nil, name: nil, expiresAt: 0)

    package var event: Event { .confirm(self) }
    package var manualEntry: EventManualEntry {
      EventManualEntry(
        "confirm",
        "The authorization response may have come from another user's program, who may have signed in instead. Nothing"
          + " is stored before a `login_confirm` request.")
    }

    package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
      try members.visitSignIn(&loginID, &account, &issuer)
      try members.visitText("subject", &subject, "The user, according to the ID Token.")
      try members.visitText("name", &name, "The user's name or email address, if the ID Token contains it.")
      try members.visitNumber("expires_at", &expiresAt, "When the sign-in times out.")
    }
  }
}
