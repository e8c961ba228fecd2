/// The words of other programs for commands and options, for the hints of a mistyped command line.
enum Synonym {
  private static let commands: [String: String] = [
    "signin": "login", "sign-in": "login", "auth": "login", "authenticate": "login", "authorize": "login",
    "connect": "login", "reauth": "login", "signout": "logout", "sign-out": "logout", "disconnect": "logout",
    "revoke": "logout", "ls": "list", "accounts": "list", "sessions": "list", "info": "status", "ps": "status",
    "switch": "use", "select": "use", "activate": "use", "me": "whoami", "id": "whoami", "who": "whoami",
    "user": "whoami", "get": "token", "access-token": "token", "get-token": "token", "print": "token",
    "refresh": "token --force-refresh", "renew": "token --force-refresh", "run": "exec", "with": "exec",
    "export": "env", "shell": "env", "curl": "request", "http": "request", "api": "request", "call": "request",
    "add": "account add", "new": "account add", "create": "account add", "rm": "account remove",
    "remove": "account remove", "delete": "account remove", "rename": "account rename", "mv": "account rename",
    "import": "account import", "config": "account set", "set": "account set", "configure": "setup", "init": "setup",
    "show": "account show", "get-config": "account show", "logs": "daemon log",
    "start": "daemon start", "stop": "daemon stop", "kill": "daemon stop", "restart": "daemon restart",
    "check": "doctor", "diagnose": "doctor", "inspect": "decode", "jwt": "decode", "validate": "verify",
    "watch": "events --follow", "man": "help", "version": "--version", "ci": "workload", "robot": "workload",
  ]

  private static let options = [
    "web": "browser", "code": "device", "device-code": "device", "manual": "paste", "server": "issuer", "url": "issuer",
    "client": "client-id", "clientid": "client-id", "aud": "audience", "name": "account",
    "format": "json", "force": "force-refresh", "refresh": "force-refresh", "secret": "client-secret-file",
    "client-secret": "client-secret-file", "insecure": "allow-http-loopback", "cacert": "ca-file",
  ]

  /// The command line meant by a word and the next one, without the program's name.
  ///
  /// - Parameter next: As in `auth login`, where `auth` is a group of another program.
  static func command(_ word: String, before next: String?) -> String? {
    guard let command = commands[word.lowercased()] else { return nil }
    guard word.lowercased() == "auth", let next else { return command }
    return CommandName.firstWords.contains(next) ? next : commands[next] ?? command
  }

  /// The name of the option meant by another.
  static func option(_ name: String, among known: [String]) -> String? {
    options[name].flatMap { known.contains($0) ? $0 : nil }
  }
}
