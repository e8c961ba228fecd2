internal import Encoding
internal import Platform
internal import Wire

struct Finding: Sendable {
  /// A check's subject, as in `--json`.
  enum Check: String, CaseIterable, Sendable {
    /// `environment` is `HOME`, `path` this program's position in `PATH`.
    case environment, directory, socket, daemon, service, path, disk, settings, vault, clock, server, account, scope
    /// Whether a browser can be opened.
    case signIn = "sign_in"
    /// Changes by `agent setup`, credential helpers, versions of programs, and overriding variables.
    case setup, helper, program, variable

    var title: Phrase {
      switch self {
      case .environment: Phrase("home")
      case .directory: Phrase("runtime directory")
      case .socket: Phrase("socket")
      case .daemon: Phrase("daemon")
      case .service: Phrase("service")
      case .path: Phrase("path")
      case .disk: Phrase("disk")
      case .settings: Phrase("settings")
      case .vault: Phrase("vault")
      case .clock: Phrase("clock")
      case .server: Phrase("server")
      case .account: Phrase("account")
      case .scope: Phrase("scope")
      case .signIn: Phrase("sign-in")
      case .setup: Phrase("setup")
      case .helper: Phrase("helper")
      case .program: Phrase("program")
      case .variable: Phrase("variable")
      }
    }
  }

  enum Level: String, CaseIterable, Sendable {
    case ok, warn, fail

    var mark: String { self == .fail ? "FAIL" : rawValue }

    var column: String { mark + String(repeating: " ", count: 4 - mark.utf8.count) }
  }

  let check: Check
  let level: Level
  let text: Phrase
  var hint: Phrase?

  init(_ check: Check, _ level: Level, _ text: Phrase, hint: Phrase? = nil) {
    (self.check, self.level, self.text, self.hint) = (check, level, text, hint)
  }

  init(_ check: Check, _ level: Level, _ failure: Failure) {
    self.init(check, level, failure.text, hint: failure.advice)
  }

  private var line: Phrase { hint.map { Phrase("\(text); try: \($0)") } ?? text }

  var json: JSONObject {
    var object = JSONObject([("check", .string(check.rawValue)), ("level", .string(level.rawValue))])
    object["message"] = .string(Self.withoutHome(TerminalText.clean(text.english)))
    object["hint"] = hint.map { .string(ProgramName.current.renaming(hint: Self.withoutHome($0.english))) }
    return object
  }

  static func text(_ findings: [Finding]) -> String {
    var listing = Listing()
    for finding in findings {
      listing.add([Phrase(verbatim: finding.level.column), finding.check.title, finding.line])
    }
    return ProgramName.current.renaming(hint: withoutHome(listing.text()))
  }

  /// Replaces the home directory by `~`, moved before an opening quotation mark so that a shell expands it.
  static func withoutHome(_ text: String, home: String? = Environment.value("HOME")) -> String {
    guard let home, home.utf8.count > 1, home.utf8.first == UInt8(ascii: "/") else { return text }
    let (characters, name) = (Array(text.unicodeScalars), Array(home.unicodeScalars))
    var result = String.UnicodeScalarView()
    var index = 0
    while index < characters.count {
      let end = index + name.count
      // Skip longer names that contain the path.
      if characters[index...].starts(with: name),
        end == characters.count || !(isNameCharacter(characters[end]) || characters[end] == "-"),
        index == 0 || !isNameCharacter(characters[index - 1])
      {
        let isQuoted =
          index > 0 && characters[index - 1] == "'" && !(index > 1 && isNameCharacter(characters[index - 2]))
        if isQuoted { result.removeLast() }
        result.append("~")
        index = end
        if isQuoted, end < characters.count {
          if characters[end] == "'" {
            index += 1
          } else {
            if characters[end] == "/" {
              result.append("/")
              index += 1
            }
            result.append("'")
          }
        }
      } else {
        result.append(characters[index])
        index += 1
      }
    }
    return String(result)
  }

  private static func isNameCharacter(_ character: Unicode.Scalar) -> Bool {
    switch character.value {
    case ..<0x80: character == "_" || UInt8(character.value).isASCIIAlphanumeric
    case 0xAB, 0xBB, 0x2000...0x206F: false
    default: true
    }
  }
}

extension [Finding] {
  mutating func add(_ check: Finding.Check, _ level: Finding.Level, _ text: Phrase, hint: Phrase? = nil) {
    append(Finding(check, level, text, hint: hint))
  }

  mutating func add(_ check: Finding.Check, _ level: Finding.Level, _ failure: Failure) {
    append(Finding(check, level, failure))
  }
}
