internal import Wire

extension Option {
  /// The settings of an account, for the commands that set one up or change it.
  static var accountSettings: [Option] {
    [
      Option(
        name: .issuer, value: .text("URL"), summary: "The authorization server, exactly as it spells its own name"),
      Option(name: .clientID, value: .text("ID"), summary: "The client identifier registered there"),
      Option(
        name: .provider, value: .choice("NAME", KnownServiceName.allCases.map(\.rawValue)),
        summary: "The service that the authorization server is, if it is one of these: its particulars are then known"),
      Option(
        name: .scope, short: "s", value: .text("SCOPE"), repeats: true,
        summary: "What to ask for; may be given several times, or hold several separated by spaces"),
      Option(
        name: .resource, value: .text("URI"), repeats: true,
        summary: "Ask for tokens that are good at this resource (RFC 8707); may be given several times"),
      Option(
        name: .audience, value: .text("NAME"), summary: "Ask for tokens with this audience, where the server takes one"),
    ] + clientAuthentication + responseSigning + [
      Option(
        name: .caFile, value: .file("FILE"),
        summary: "Trust the certificate authorities in this PEM file besides the system's, for this account only"),
      Option(
        name: .pin, value: .text("sha256//BASE64"), repeats: true,
        summary: "Accept only servers with this public key; may be given several times"),
      Option(
        name: .allowHTTPLoopback,
        summary: "Allow plain http to 127.0.0.1 and [::1], for development"),
      Option(name: .tokenEndpoint, value: .text("URL"), summary: "Use this token endpoint"),
      Option(
        name: .deviceAuthorizationEndpoint, value: .text("URL"), summary: "Use this device authorization endpoint"),
      Option(name: .userinfoEndpoint, value: .text("URL"), summary: "Use this UserInfo endpoint"),
      Option(name: .revocationEndpoint, value: .text("URL"), summary: "Use this revocation endpoint"),
      Option(name: .registrationEndpoint, value: .text("URL"), summary: "Use this client registration endpoint"),
      Option(name: .jwksURI, value: .text("URL"), summary: "Take the issuer's keys from here"),
      Option(
        name: .redirectURI, value: .text("URI"),
        summary: "The redirect URI that is registered for the client, byte for byte; without a port any port is used"),
      Option(
        name: .keep,
        summary: "Keep the access token in the vault when the server gives no refresh token"),
      Option(
        name: .dpop,
        summary: "Bind the tokens to a key that never leaves `agentd` (DPoP), so that a stolen token is of no use"),
      Option(
        name: .host, value: .text("HOST"), repeats: true,
        summary: "Let requests take the access token to this host too; may be given several times"),
      Option(
        name: .refresh, value: .choice("POLICY", RefreshPolicyName.allCases.map(\.rawValue)),
        summary: "When tokens are renewed, see agent-config(5); without it before they expire, while they are in use"),
    ] + protection
  }
}
