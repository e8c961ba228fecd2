internal import Encoding
internal import Wire

extension SetupClient {
  static let msmtp = mail(
    "msmtp", .outgoingMail, files: ["~/.msmtprc", "msmtp/config"],
    plan: { (context, server) throws(Failure) in
      let user = try context.userName()
      let command = "passwordeval \(try context.tokenCommand())"
      return SetupPlan(
        text: [
          "account \(try context.entryName(else: context.account))",
          "host \(server.host)",
          "port \(server.port)",
          "tls on",
          "tls_starttls \(server.isTLSFromTheStart ? "off" : "on")",
          "auth oauthbearer",
          "user \(user)",
          "from \(user)",
          command,
        ], keys: [command])
    })

  static let mbsync = mail(
    "mbsync", .incomingMail, files: ["~/.mbsyncrc", "isyncrc"],
    plan: { (context, server) throws(Failure) in
      let command = "PassCmd \"\(try context.tokenCommand())\""
      return SetupPlan(
        text: [
          "IMAPAccount \(try context.entryName(else: context.account))",
          "Host \(server.host)",
          "Port \(server.port)",
          "SSLType IMAPS",
          "AuthMechs XOAUTH2",
          "User \(try context.userName())",
          command,
        ], keys: [command], notes: [Phrase("mbsync needs a SASL library plugin for XOAUTH2")])
    })

  static let neomutt = mail(
    "neomutt", .mail,
    files: [
      "~/.neomuttrc", "~/.neomutt/neomuttrc", "~/.muttrc", "~/.mutt/muttrc", "neomutt/neomuttrc", "mutt/muttrc",
    ],
    plan: { (context, server) throws(Failure) in
      let user = try context.userName()
      let key = server.isOutgoing ? "smtp" : "imap"
      let command = "set \(key)_oauth_refresh_command = \"\(try context.tokenCommand())\""
      guard server.isOutgoing else {
        return SetupPlan(
          text: [
            "set imap_user = \"\(user)\"",
            "set folder = \"imaps://\(server.host):\(server.port)/\"",
            "set spoolfile = \"+INBOX\"",
            "set imap_authenticators = \"oauthbearer:xoauth2\"",
            command,
          ], keys: [command])
      }
      return SetupPlan(
        text: [
          "set smtp_url = \"\(server.scheme)://\(escaped(user))@\(server.host):\(server.port)/\"",
          "set smtp_authenticators = \"oauthbearer:xoauth2\"",
          command,
        ], keys: [command])
    })

  static let aerc = mail(
    "aerc", .mail, files: ["aerc/accounts.conf"],
    plan: { (context, server) throws(Failure) in
      let authority = "\(escaped(try context.userName()))@\(server.host):\(server.port)"
      let key = server.isOutgoing ? "outgoing" : "source"
      let command = "\(key)-cred-cmd = \(try context.tokenCommand())"
      return SetupPlan(
        text: [
          "[\(try context.entryName(else: context.account))]",
          "\(key) = \(server.scheme)+oauthbearer://\(authority)",
          command,
        ], keys: [command])
    })

  /// `files`: names in the user's configuration directory, or paths in the home directory.
  private static func mail(
    _ name: String, _ originKind: OriginKind, files names: [String],
    plan: @escaping @Sendable (SetupContext, MailServer) throws(Failure) -> SetupPlan
  ) -> SetupClient {
    SetupClient(
      name: name, originKind: originKind, choices: [.account, .name, .user],
      printedSettingsFiles: { (files) throws(Failure) in
        try names.map { (name) throws(Failure) in
          name.hasPrefix("~")
            ? try SetupFile(try files.home() + String(name.dropFirst())) : try files.configuration(name)
        }
      },
      plan: { (context) throws(Failure) in try plan(context, try MailServer(context, originKind)) },
      trial: { (context) throws(Failure) in try SetupTrial(context.program, try context.tokenArguments()) })
  }

  /// Percent-encodes for a URL.
  private static func escaped(_ user: String) -> String {
    let bytes = user.utf8.flatMap { byte in
      byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
        ? [byte] : Array("%".utf8) + [HexDigit.upper(byte >> 4), HexDigit.upper(byte & 15)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

private struct MailServer {
  let host: String
  let port: Int
  let isOutgoing: Bool
  /// Without STARTTLS.
  let isTLSFromTheStart: Bool

  /// `smtp` means STARTTLS.
  var scheme: String { isOutgoing ? (isTLSFromTheStart ? "smtps" : "smtp") : "imaps" }

  /// `originKind`: the kind of mail server that the program supports; `mail` means both.
  init(_ context: SetupContext, _ originKind: SetupClient.OriginKind) throws(Failure) {
    guard let origin = context.origin, let uri = OriginEntry.uri(origin.origin), uri.isMail else {
      throw Failure(
        .invalidRequest, "\(context.url) is not a mail server",
        hint: "use \("--host") with \("imaps://") or \("submission://") and a host")
    }
    isOutgoing = !uri.hasScheme("imaps")
    isTLSFromTheStart = !uri.hasScheme("submission")
    if originKind == .outgoingMail, !isOutgoing {
      throw Failure(.invalidRequest, "this program sends mail: use submission://HOST")
    }
    if originKind == .incomingMail, isOutgoing {
      throw Failure(.invalidRequest, "this program reads mail: use imaps://HOST")
    }
    host = uri.host
    port = uri.port.map { Int($0) } ?? (isOutgoing ? (isTLSFromTheStart ? 465 : 587) : 993)
  }
}
