internal import Platform

struct BrowserEnvironment {
  let variable: (String) -> String?
  let fileExists: (String) -> Bool

  static var current: BrowserEnvironment {
    BrowserEnvironment(
      variable: Environment.value, fileExists: { (try? FileDescriptor(opening: $0, for: .reading)) != nil })
  }

  /// Whether the user can see a browser started here, and its redirect reaches this machine.
  var canOpenBrowser: Bool {
    // Remote editors set `BROWSER` to a program that opens the user's own browser.
    if isRemoteEditor || isContainer { return isSet("BROWSER") }
    if isRemote { return false }
    return hasDisplay || isSet("BROWSER") || isWSL
  }

  var isRemote: Bool { isSet("SSH_CONNECTION") || isSet("SSH_TTY") || isSet("SSH_CLIENT") }

  /// Commands that may open a URL, best first.
  func commands(opening url: String) -> [[String]] {
    var commands = (variable("BROWSER") ?? "").split(separator: ":").compactMap { Self.command($0, url) }
    if hasDisplay { commands += [["xdg-open", url], ["gio", "open", url]] }
    if isWSL { commands.append(["wslview", url]) }
    return commands
  }

  private var hasDisplay: Bool { isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") }
  private var isWSL: Bool { isSet("WSL_DISTRO_NAME") || isSet("WSL_INTEROP") }
  private var isRemoteEditor: Bool {
    isSet("VSCODE_IPC_HOOK_CLI") || isSet("REMOTE_CONTAINERS") || isSet("CODESPACES")
  }
  private var isContainer: Bool {
    isSet("container") || fileExists("/.dockerenv") || fileExists("/run/.containerenv")
  }

  private func isSet(_ name: String) -> Bool { !(variable(name) ?? "").isEmpty }

  /// Splits a `BROWSER` command, and replaces `%s` by the URL or appends it. Nil without a program.
  private static func command(_ part: Substring, _ url: String) -> [String]? {
    let words = part.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard !words.isEmpty, words[0] != "%s" else { return nil }
    let filled = words.map { $0.replacing(each: "%s", with: url) }
    return filled == words.map { String($0) } ? filled + [url] : filled
  }
}
