internal import Encoding
internal import Vocabulary
internal import Wire

// Text that is only printed, complete and ready to be pasted.
extension SetupClient {
  /// The files that may contain the printed lines, in each program's search order.
  func files(_ context: SetupContext) throws(Failure) -> [SetupFile] {
    let home = try context.home()
    let (below, own): ([String], [String]) =
      switch self {
      case .kubectl:
        context.set("KUBECONFIG").map { ($0.split(separator: ":").map { String($0) }, []) }
          ?? (["\(home)/.kube/config"], [])
      case .msmtp: (["\(home)/.msmtprc"], ["msmtp/config"])
      case .mbsync: (["\(home)/.mbsyncrc"], ["isyncrc"])
      case .neomutt:
        (
          [".neomuttrc", ".neomutt/neomuttrc", ".muttrc", ".mutt/muttrc"].map { "\(home)/\($0)" },
          ["neomutt/neomuttrc", "mutt/muttrc"]
        )
      case .aerc: ([], ["aerc/accounts.conf"])
      case .git, .docker, .aws, .cargo, .go, .pip, .uv, .mcp: ([], [])
      }
    var files: [SetupFile] = []
    for path in below { files.append(try SetupFile(path)) }
    for name in own { files.append(try context.configurationFile(name)) }
    return files
  }

  static func kubectl(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let name = try context.entryName(else: context.account)
    let words = context.words(.kubectl).map { "\"\($0)\"" }.joined(separator: ", ")
    let command = "command: \"\(context.program)\""
    return SetupPlan(
      text: [
        "users:",
        "- name: \(name)",
        "  user:",
        "    exec:",
        "      apiVersion: client.authentication.k8s.io/v1",
        "      \(command)",
        "      args: [\(words)]",
        "      interactiveMode: Never",
        "      provideClusterInfo: true",
      ], keys: [command, "command: \(context.program)"])
  }

  static func msmtp(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let server = try MailServer(context, isOutgoing: true)
    let user = try context.userName()
    let command = "passwordeval \(try context.tokenLine())"
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
  }

  static func mbsync(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let server = try MailServer(context, isOutgoing: false)
    let command = "PassCmd \"\(try context.tokenLine())\""
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
  }

  static func neomutt(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let server = try MailServer(context, isOutgoing: nil)
    let user = try context.userName()
    let key = server.isOutgoing ? "smtp" : "imap"
    let command = "set \(key)_oauth_refresh_command = \"\(try context.tokenLine())\""
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
        "set smtp_url = \"\(server.isTLSFromTheStart ? "smtps" : "smtp")://\(escaped(user))@\(server.host):\(server.port)/\"",
        "set smtp_authenticators = \"oauthbearer:xoauth2\"",
        command,
      ], keys: [command])
  }

  static func aerc(_ context: SetupContext) throws(Failure) -> SetupPlan {
    let server = try MailServer(context, isOutgoing: nil)
    let place = "\(escaped(try context.userName()))@\(server.host):\(server.port)"
    let key = server.isOutgoing ? "outgoing" : "source"
    let scheme = server.isOutgoing ? (server.isTLSFromTheStart ? "smtps" : "smtp") : "imaps"
    let command = "\(key)-cred-cmd = \(try context.tokenLine())"
    return SetupPlan(
      text: [
        "[\(try context.entryName(else: context.account))]",
        "\(key) = \(scheme)+oauthbearer://\(place)",
        command,
      ], keys: [command])
  }

  /// A user name, encoded for a URL.
  private static func escaped(_ user: String) -> String {
    let bytes = user.utf8.flatMap { byte in
      byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
        ? [byte] : Array("%".utf8) + [HexDigit.upper(byte >> 4), HexDigit.upper(byte & 15)]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The server that a mail program is configured for.
private struct MailServer {
  let host: String
  let port: Int
  let isOutgoing: Bool
  let isTLSFromTheStart: Bool

  /// - Parameter isOutgoing: Its required direction; nil for both.
  init(_ context: SetupContext, isOutgoing wanted: Bool?) throws(Failure) {
    guard let place = context.place, let uri = OriginEntry.uri(place.origin), uri.isMail else {
      throw Failure(
        .invalidRequest, "\(context.url) is not a mail server",
        hint: "use \("--host") with \("imaps://") or \("submission://") and a host")
    }
    isOutgoing = !uri.hasScheme("imaps")
    isTLSFromTheStart = !uri.hasScheme("submission")
    if let wanted, wanted != isOutgoing {
      throw Failure(
        .invalidRequest,
        wanted
          ? Phrase("this program sends mail: use submission://HOST")
          : Phrase("this program reads mail: use imaps://HOST"))
    }
    host = uri.host
    port = uri.port.map { Int($0) } ?? (isOutgoing ? (isTLSFromTheStart ? 465 : 587) : 993)
  }
}
