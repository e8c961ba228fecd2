// Google and Microsoft, for sign-in and for mail.
extension Provider {
  /// Google. A refresh token requires `access_type=offline` and consent; the scope `offline_access` is rejected.
  static let google: Provider = {
    var provider = Provider(.google, "Google")
    provider.issuer = "https://accounts.google.com"
    provider.hosts = ["google.com"]
    provider.registration = Registration(
      page: "https://console.cloud.google.com/apis/credentials", kind: "OAuth client of the type Desktop app")
    provider.redirectURI = "http://127.0.0.1/callback"
    provider.scope = ["openid", "email"]
    provider.authorizationParameters = [
      Parameter(name: "access_type", value: "offline"), Parameter(name: "prompt", value: "consent"),
    ]
    provider.tokenEndpointAuthMethod = .secretPost
    provider.sessionsPage = "https://myaccount.google.com/connections"
    provider.quirks = [
      .secretNeeded: "https://developers.google.com/identity/protocols/oauth2/native-app",
      .publicSecret: "https://developers.google.com/identity/protocols/oauth2/native-app",
      .issuerWithoutScheme: "https://developers.google.com/identity/openid-connect/openid-connect",
    ]
    provider.limits = [
      "the device flow needs a client of type TVs and Limited Input devices, and allows only a few scopes",
      "a session of an app in testing ends after seven days, any other after six idle months",
      "a sign-out ends the sessions of this app on all machines",
    ]
    provider.advice = [
      Advice(
        error: "invalid_scope",
        text: "Google's device flow allows only a few scopes: sign in with --browser for the others"),
      Advice(
        error: "invalid_client",
        text: "Google's desktop and device clients need their client secret too", needsSecret: true),
      Advice(
        error: "invalid_grant",
        text: "Google ends refresh tokens after six idle months, and after seven days for an app in testing"),
      Advice(
        error: "redirect_uri_mismatch",
        text: "register a client of the type Desktop app: https://console.cloud.google.com/apis/credentials",
        namesPage: true),
      Advice(error: "admin_policy_enforced", text: "the administrator of your Google organisation blocks these scopes"),
    ]
    return provider
  }()

  static let gmail: Provider = {
    var provider = Provider(.gmail, "Gmail", like: google)
    provider.scope = ["openid", "email", "https://mail.google.com/"]
    provider.limits.append("the device flow does not allow its scope")
    return provider
  }()

  /// Microsoft Entra ID. A redirect URI must match, except the port of `http://localhost`. There is no revocation
  /// endpoint.
  static let entra: Provider = {
    var provider = Provider(.entra, "Microsoft Entra ID")
    provider.issuer = "https://login.microsoftonline.com/common/v2.0"
    let hosts = ["login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn"]
    // The templates match domain names of up to four parts.
    let tenants = ["{tenant}", "{a}.{b}", "{a}.{b}.{c}", "{a}.{b}.{c}.{d}"]
    provider.issuerTemplates = hosts.flatMap { host in tenants.map { "https://\(host)/\($0)/v2.0" } }
    provider.hosts = ["entra.microsoft.com", "microsoft.com"]
    provider.scope = ["openid", "profile", "offline_access"]
    provider.redirectURI = "http://localhost"
    provider.registration = Registration(
      page: "https://entra.microsoft.com/", kind: "app for mobile and desktop", option: "Allow public client flows")
    provider.sessionsPage = "https://mysignins.microsoft.com/"
    provider.quirks = [
      .tenantIssuer: "https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc"
    ]
    provider.limits = [
      "an app of one organisation needs that organisation's issuer: --issuer"
        + " https://login.microsoftonline.com/TENANT-ID/v2.0",
      "a token is valid for one resource; request its scopes at sign-in, and those of others with agent token --scope",
      "it has no revocation endpoint",
    ]
    provider.advice = [
      Advice(
        error: "AADSTS7000218",
        text: "enable \"Allow public client flows\" in the app's registration, or set the client secret",
        needsSecret: true),
      Advice(error: "AADSTS700016", text: "the tenant does not know this client id: check both"),
      Advice(error: "AADSTS700082", text: "the refresh token was idle for too long: sign in again"),
      Advice(
        error: "AADSTS700084",
        text: "the redirect URI is registered for a single-page app: its tokens are valid for a day"),
      Advice(
        error: "AADSTS9002327",
        text: "the redirect URI is registered for a single-page app: register it for mobile and desktop applications"),
      Advice(error: "AADSTS70043", text: "your organisation requires a new sign-in from time to time"),
      Advice(
        error: "AADSTS50173", text: "the session was revoked, usually because the password changed: sign in again"),
      Advice(error: "AADSTS50076", text: "a second factor is required: sign in again"),
      Advice(
        error: "AADSTS50079",
        text: "a second factor must be registered first: sign in to the organisation's portal"),
      Advice(
        error: "AADSTS50194",
        text: "the app is registered for one organisation: --issuer https://login.microsoftonline.com/TENANT-ID/v2.0",
        namesPage: true),
      Advice(
        error: "AADSTS9002331",
        text: "the app is registered for personal accounts: --issuer https://login.microsoftonline.com/consumers/v2.0",
        namesPage: true),
      Advice(error: "AADSTS65001", text: "no one consented to these scopes: ask the administrator, or request fewer"),
      Advice(
        error: "AADSTS53003",
        text: "a conditional access policy of your organisation blocks this: usually the device flow, so try --browser",
        forbidsDevice: true),
      Advice(
        error: "AADSTS50011",
        text: "register http://localhost as a redirect URI for mobile and desktop applications:"
          + " https://entra.microsoft.com/", namesPage: true),
      Advice(error: "AADSTS28000", text: "scopes of two resources cannot be requested together"),
    ]
    return provider
  }()

  static let outlook: Provider = {
    var provider = Provider(.outlook, "Outlook", like: entra)
    provider.scope = [
      "openid", "profile", "offline_access", "https://outlook.office.com/IMAP.AccessAsUser.All",
      "https://outlook.office.com/POP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send",
    ]
    return provider
  }()
}
