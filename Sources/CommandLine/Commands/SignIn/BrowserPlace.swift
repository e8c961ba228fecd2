internal import Platform

/// Where this program runs, as far as it matters for opening a browser: in front of a screen, or not.
struct BrowserPlace {
  private let variable: (String) -> String?
  private let exists: (String) -> Bool

  /// The place of this process.
  static var current: BrowserPlace {
    BrowserPlace(variable: Environment.value, exists: { (try? FileDescriptor(opening: $0, for: .reading)) != nil })
  }

  /// - Parameters:
  ///   - variable: The value of an environment variable.
  ///   - exists: Whether there is such a file.
  init(variable: @escaping (String) -> String?, exists: @escaping (String) -> Bool) {
    self.variable = variable
    self.exists = exists
  }

  /// Whether a browser that is opened from here is one that the person sees, and that reaches this machine.
  var canOpen: Bool {
    // A remote editor names a program that opens the browser where its person is, and leads its answer back.
    if isRemoteEditor || isContainer { return isSet("BROWSER") }
    if isRemote { return false }
    return hasDisplay || isSet("BROWSER") || isWSL
  }

  /// Whether the person sits at another machine.
  var isRemote: Bool { isSet("SSH_CONNECTION") || isSet("SSH_TTY") || isSet("SSH_CLIENT") }

  /// The commands that may open an address, best first. Each is a program and its arguments.
  func commands(opening url: String) -> [[String]] {
    var commands = (variable("BROWSER") ?? "").split(separator: ":").compactMap { Self.command($0, url) }
    if hasDisplay { commands.append(["xdg-open", url]) }
    if isWSL { commands.append(["wslview", url]) }
    return commands
  }

  private var hasDisplay: Bool { isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") }
  private var isWSL: Bool { isSet("WSL_DISTRO_NAME") || isSet("WSL_INTEROP") }
  private var isRemoteEditor: Bool {
    isSet("VSCODE_IPC_HOOK_CLI") || isSet("REMOTE_CONTAINERS") || isSet("CODESPACES")
  }
  private var isContainer: Bool {
    isSet("container") || exists("/.dockerenv") || exists("/run/.containerenv")
  }

  private func isSet(_ name: String) -> Bool { !(variable(name) ?? "").isEmpty }

  /// One part of `BROWSER`: words, of which `%s` stands for the address. The address comes last where it is not
  /// named. No shell reads any of it, so nothing in an address can be more than an argument.
  private static func command(_ part: Substring, _ url: String) -> [String]? {
    let words = part.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard !words.isEmpty, words[0] != "%s" else { return nil }
    let filled = words.map { $0.replacing(each: "%s", with: url) }
    return filled == words.map { String($0) } ? filled + [url] : filled
  }
}
