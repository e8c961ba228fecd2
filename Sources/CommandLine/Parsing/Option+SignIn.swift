internal import Platform
internal import Wire

extension Options {
  static var clientSecrets: [OptionDeclaration] {
    [
      Option.clientSecretFile.declaration, Option.clientSecretPrompt.declaration, Option.clientKeyFile.declaration,
      Option.clientCertificateFile.declaration,
    ]
  }
}

extension Option<String?> {
  static var clientSecretFile: Self { file("client-secret-file", in: .client, with: "the client secret") }
  /// Rejected (``MovedOptions``).
  static var clientSecretEnvironment: Self {
    Self("client-secret-env", in: .client, .text("NAME"), "Use `--client-secret-file -`")
  }
  static var clientKeyFile: Self {
    Self(
      "client-key-file", in: .client, .secretFile,
      "Read the client's private key from this file; PEM, which may name a key in the TPM, or a JSON Web Key; `-` is standard input"
    )
  }
  static var clientCertificateFile: Self {
    Self(
      "client-certificate-file", in: .client, .secretFile,
      "Present the certificate in this PEM file to the server; its key is the client's")
  }
  /// Rejected (``MovedOptions``).
  static var initialAccessTokenFile: Self {
    Self(
      "initial-access-token-file", in: .client, .secretFile,
      "Use `--client-secret-file`")
  }
  static var assertionFD: Self {
    Self(
      "assertion-fd", in: .workload, .descriptor,
      "Sign in with a JWT from this open descriptor; it works once")
  }
  static var resume: Self {
    Self("resume", in: .scripts, .text("LOGIN"), "Wait for a sign-in that was started with `--start`")
  }
  /// The OpenID Connect parameter `prompt`.
  static var prompt: Self {
    Self(
      "prompt", in: .signIn, .text("PROMPT"),
      "Prompt that the server must show, such as `login`, `consent` or `select_account`")
  }
  static var claimsChallenge: Self {
    Self(
      "claims-challenge", in: .access, .text("CLAIMS"), "Ask for the claims that a resource requires, in JSON or base64"
    )
  }
  static var loginHint: Self { Self("login-hint", in: .signIn, .text("HINT"), "User name to suggest") }
}

extension Option<Bool> {
  static var clientSecretPrompt: Self {
    Self("client-secret-prompt", in: .client, "Ask for the client secret on the terminal; it is not shown")
  }
  static var register: Self {
    Self(
      "register", in: .service,
      "Register a client at the server (RFC 7591); `--client-secret-file` then has the initial access token, if any")
  }
  /// Rejected (``MovedOptions``).
  static var guest: Self { Self("guest", in: .signIn, "Use `agent workload`") }
  static var browser: Self { Self("browser", in: .signIn, "Sign in with a browser on this machine") }
  static var device: Self { Self("device", in: .signIn, "Sign in with a code typed on any device") }
  static var paste: Self {
    Self("paste", in: .signIn, "Sign in with a browser on any machine; paste its final address")
  }
  static var noOpen: Self { Self("no-open", in: .signIn, "Show the address, but open no browser") }
  static var start: Self {
    Self(
      "start", in: .scripts,
      "Print the instructions and the sign-in's ID, or with `--resume` its state, and return at once")
  }
  static var ifNeeded: Self {
    Self(
      "if-needed", in: .scripts,
      "Sign in only if no token is available; otherwise print who is signed in")
  }
  static var ended: Self { Self("ended", in: .signIn, "Sign in again to every account whose session has ended") }
  static var ephemeral: Self {
    Self(
      "ephemeral", in: .protection,
      "Keep account and session in memory only: nothing is written, and both end with the daemon or a sign-out")
  }
  static var noKeep: Self {
    Self("no-keep", in: .protection, "Do not store the token of a session without a refresh token, and do not ask")
  }
  /// Rejected (``MovedOptions``).
  static var use: Self { Self("use", in: .service, "Use `agent use`") }
  /// Rejected (``MovedOptions``).
  static var noWait: Self { Self("no-wait", in: .scripts, "Use `--start`") }
  /// Rejected (``MovedOptions``).
  static var copyCode: Self { Self("copy-code", in: .signIn, "Copy the code from the screen") }
  /// Rejected (``MovedOptions``).
  static var qrCode: Self { Self("qr-code", in: .signIn, "Use the variable AGENT_QR_CODE") }
  /// Rejected (``MovedOptions``).
  static var qr: Self { Self("qr", in: .signIn, "Use the variable AGENT_QR_CODE") }
  static var all: Self { Self("all", in: .signOut, "Sign out of all accounts") }
  static var local: Self { Self("local", in: .signOut, "Delete the session here without revoking it at the server") }
}

extension Option<[String]> {
  static var acr: Self {
    Self("acr", in: .signIn, each: .text("ACR"), "Ask for one of these kinds of sign-in; may be given several times")
  }
}

/// Durations in seconds.
extension Option<Int?> {
  static var maxAge: Self {
    Self("max-age", in: .signIn, time: .duration(0...31_536_000), "Require re-authentication after this time")
  }
}

extension Option<NoticeChoice?> {
  static var notices: Self {
    Self(
      "notify", in: .output, "STATE", NoticeChoice.self,
      "Show a desktop notice when a session ends")
  }
}

enum NoticeChoice: String, CaseIterable, Sendable { case on, off }

enum QRCodeChoice: String, CaseIterable, Sendable {
  /// If the sign-in screen with the code fits on the terminal.
  case automatic = "auto"
  case always, never

  static let variable = "AGENT_QR_CODE"

  static func fromEnvironment() throws(Failure) -> Self {
    guard let text = Environment.value(variable), !text.isEmpty else { return .automatic }
    guard let choice = Self(rawValue: text) else {
      let words = allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(.invalidRequest, "\(variable) must be one of \(words)")
    }
    return choice
  }
}
