internal import Encoding
internal import Wire

/// A sign-in's screen. URLs and codes are never cut and have their own lines. A long one starts in the first column, so
/// that a terminal wraps it without a gap. Server text is cleaned.
struct SignInScreen {
  let columns: Int

  /// Whether to print the code in bold.
  let isStyled: Bool

  var language = Language.current

  /// Nil for no limit.
  private var maximumScopeLines: Int?

  init(columns: Int, isStyled: Bool, language: Language = .current) {
    (self.columns, self.isStyled, self.language) = (columns, isStyled, language)
  }

  private static let maximumTextWidth = 100

  private static let maximumURLLength = 16_384

  private static let minimumWidthBesideQRCode = 30
  private static let maximumWidthBesideQRCode = 64
  /// The columns between the text and a QR code.
  private static let gap = 2

  /// The screen for a device code. Begins with the client and its request: users must recognize a sign-in that they did
  /// not start (RFC 8628, section 5.4).
  func text(_ code: Event.DeviceCode) -> String { instructions(code) + "\n" }

  /// `isTight` omits empty lines and the address that includes the code.
  private func instructions(_ code: Event.DeviceCode, isTight: Bool = false) -> String {
    let gap = isTight ? "" : "\n"
    var text = heading(issuer: code.issuer, account: code.account, clientID: code.clientID, scope: code.scope)
    text += prose(Phrase("Open this address in any browser, on this device or another:")) + gap
    text += line(code.verificationURI) + "\n"
    text += prose(Phrase("Type this code there:")) + gap + line(code.userCode, isBold: true) + "\n"
    if !isTight, let complete = code.verificationURIComplete {
      text += prose(Phrase("Or open this address and check that it shows the same code:")) + "\n"
      text += line(complete) + "\n"
    }
    text += prose(Phrase("Continue only if you started this yourself;"))
    return text + prose(Phrase("never enter a code that someone sent you."))
  }

  /// The screen with a QR code beside or below the text, if it fits. `rows` is the terminal's height; nil for no limit.
  func text(_ code: Event.DeviceCode, _ picture: QRPicture?, rows: Int?) -> String {
    let alone = text(code)
    if let picture {
      if let beside = text(code, beside: picture, rows: rows) { return beside }
      let below = alone + picture.text
      if height(below) < rows ?? .max { return below }
    }
    return text(rows: rows) { $0.text(code) }
  }

  /// The text that `make` writes. If its first line would scroll away, omits blank lines, then scopes. `rows` is the
  /// terminal's height; nil or 0 for no limit.
  func text(rows: Int?, _ make: (SignInScreen) -> String) -> String {
    let text = make(self)
    guard let rows, rows > 0, height(text) >= rows else { return text }
    func dense(_ text: String) -> String {
      text.split(separator: "\n").map { $0 + "\n" }.joined()
    }
    let whole = dense(text)
    guard height(whole) >= rows else { return whole }
    var short = self
    short.maximumScopeLines = 1
    return dense(make(short))
  }

  /// The number of terminal rows, with wrapped lines.
  private func height(_ text: String) -> Int {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .reduce(0) { $0 + max(1, ($1.count + columns - 1) / columns) }
  }

  /// The screen with a QR code beside the text and its URL below; nil if they do not fit. `rows` is the terminal's
  /// height, including an unused last line; nil for no limit.
  func text(_ code: Event.DeviceCode, beside picture: QRPicture, rows: Int?) -> String? {
    let width = min(columns - picture.columns - Self.gap, Self.maximumWidthBesideQRCode)
    guard width >= Self.minimumWidthBesideQRCode else { return nil }
    let plain = SignInScreen(columns: width, isStyled: false, language: language).linesBesideQRCode(code)
    let styled = SignInScreen(columns: width, isStyled: isStyled, language: language).linesBesideQRCode(code)
    guard plain.allSatisfy({ $0.count <= width }) else { return nil }
    let lines = picture.lines
    var text = ""
    for index in 0..<max(plain.count, lines.count) {
      let (left, count) = plain.indices.contains(index) ? (styled[index], plain[index].count) : ("", 0)
      guard lines.indices.contains(index) else {
        text += left + "\n"
        continue
      }
      text += left + String(repeating: " ", count: width + Self.gap - count) + lines[index] + "\n"
    }
    var height = max(plain.count, lines.count)
    if let complete = code.verificationURIComplete {
      let below = prose(Phrase("Or open this address and check that it shows the same code:")) + line(complete)
      text += below
      height += below.split(separator: "\n").reduce(0) { $0 + ($1.count + columns - 1) / columns }
    }
    return height < rows ?? .max ? text : nil
  }

  private func linesBesideQRCode(_ code: Event.DeviceCode) -> [String] {
    let text = instructions(code, isTight: true)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// The essentials of ``text(_:)``.
  func briefText(_ code: Event.DeviceCode) -> String {
    prose(Phrase("Open")) + line(code.verificationURI) + prose(Phrase("and type the code"))
      + line(code.userCode, isBold: true)
  }

  // MARK: The client and its request

  func heading(issuer: String, account: String, clientID: String, scope: String?) -> String {
    var text = prose(Phrase("Sign in to \(hostAndPort(of: issuer))")) + "\n"
    if let issuer = unusualIssuer(issuer) { text += labelledValues(labels.issuer, [issuer]) }
    text += labelledValues(labels.account, [clean(account)])
    return text + labelledValues(labels.client, [clean(clientID)]) + labelledValues(labels.scope, scopes(scope)) + "\n"
  }

  private func hostAndPort(of issuer: String) -> String {
    guard let uri = try? URI(issuer) else { return clean(issuer) }
    return uri.host + (uri.port.map { ":\($0)" } ?? "")
  }

  /// The issuer, unless it is just `https` and the host.
  private func unusualIssuer(_ issuer: String) -> String? {
    let text = clean(issuer)
    return ["https://\(hostAndPort(of: issuer))", "https://\(hostAndPort(of: issuer))/", hostAndPort(of: issuer)]
      .contains(text) ? nil : text
  }

  /// The scopes on few lines, to keep the top visible.
  private func scopes(_ scope: String?) -> [String] {
    let names = (scope ?? "").split(separator: " ").map { clean(String($0)) }
    if names.isEmpty { return [word(Phrase("the server's default"))] }
    let lines = Prose.wrapped(names.joined(separator: " "), width: max(1, columns - valueIndent))
    guard let most = maximumScopeLines, lines.count > most else { return lines }
    let shown = lines.prefix(most)
    let count = names.count - shown.reduce(0) { $0 + $1.split(separator: " ").count }
    return shown + [word(Phrase("and \(count) more"))]
  }

  // MARK: Layout

  private var labels: (issuer: String, account: String, client: String, scope: String) {
    (word(Phrase("Issuer")), word(Phrase("Account")), word(Phrase("Client")), word(Phrase("Asks for")))
  }

  private var valueIndent: Int {
    let labels = labels
    let widest = [labels.issuer, labels.account, labels.client, labels.scope].map(\.count).max() ?? 0
    return max(12, widest + 4)
  }

  /// Writes a label, with its values beside it or, if they do not fit, below.
  private func labelledValues(_ label: String, _ values: [String]) -> String {
    guard values.allSatisfy({ valueIndent + $0.count <= columns }) else {
      return "  \(label)\n" + values.map { line($0, indent: 4) }.joined()
    }
    let gap = String(repeating: " ", count: valueIndent - 2 - label.count)
    return zip(
      ["  \(label)\(gap)"] + values.dropFirst().map { _ in String(repeating: " ", count: valueIndent) }, values
    )
    .map { "\($0)\($1)\n" }.joined()
  }

  func line(_ thing: String, indent: Int = 2, isBold: Bool = false) -> String {
    let thing = clean(thing)
    let space = indent + thing.count <= columns ? String(repeating: " ", count: indent) : ""
    return space + Console.styled(thing, as: "1", isBold && isStyled) + "\n"
  }

  func prose(_ phrase: Phrase) -> String {
    Prose.wrapped(word(phrase), width: min(columns, Self.maximumTextWidth)).map { $0 + "\n" }.joined()
  }

  /// The translated phrase.
  private func word(_ phrase: Phrase) -> String { language.text(phrase, limit: Self.maximumURLLength) }

  private func clean(_ text: String) -> String { TerminalText.clean(text, limit: Self.maximumURLLength) }

  /// The screen of a browser sign-in.
  func text(_ browser: Event.Browser, _ view: BrowserView, now: Int) -> String {
    var text = heading(
      issuer: browser.issuer, account: browser.account, clientID: browser.clientID, scope: browser.scope)
    if case .elsewhere(let tunnel) = view {
      text += prose(Phrase("On your own machine run, so that its browser reaches this one:")) + line(tunnel) + "\n"
    }
    text += prose(instruction(browser, view, now: now)) + "\n" + line(browser.url) + "\n"
    if view.isElsewhere {
      text += prose(
        Phrase(
          """
          Without that command, the browser cannot connect at the end. Then copy the full address and paste it here. It \
          stays hidden: it contains a one-time code. For a code instead, cancel and use --device.
          """))
    } else if browser.mustPaste {
      text += prose(
        Phrase(
          """
          After you approve, the browser tries to open an address like this and may fail to connect. Copy the full \
          address and paste it here. It stays hidden: it contains a one-time code.
          """))
      text += "\n" + line(browser.redirectURI) + "\n"
    } else {
      text += prose(Phrase("For a browser on another device, cancel and use --device or --paste."))
    }
    return text + prose(Phrase("Continue only if you started this yourself.")) + "\n"
  }

  /// The essentials of ``text(_:_:now:)``.
  func briefText(_ browser: Event.Browser, _ view: BrowserView = .byHand) -> String {
    prose(Phrase("Open")) + line(browser.url)
      + (browser.mustPaste || view.isElsewhere
        ? prose(Phrase("and paste the address that the browser tries to open after you approve")) : "")
  }

  private func instruction(_ browser: Event.Browser, _ view: BrowserView, now: Int) -> Phrase {
    let time = browser.urlExpiresAt.map { RelativeTime.phrase(seconds: LoginText.secondsLeft($0, now: now)) }
    if browser.mustPaste {
      return time.map { Phrase("Open this address in any browser, on this device or another, within \($0):") }
        ?? Phrase("Open this address in any browser, on this device or another:")
    }
    if view == .opens {
      return time.map { Phrase("Opening your browser. If nothing happens, open within \($0):") }
        ?? Phrase("Opening your browser. If nothing happens, open:")
    }
    if view.isElsewhere {
      return time.map { Phrase("Open there within \($0):") } ?? Phrase("Open there:")
    }
    return time.map { Phrase("Open this address on this machine within \($0):") }
      ?? Phrase("Open this address in a browser on this machine:")
  }
}

/// How the user gets to the page of a sign-in.
enum BrowserView: Hashable {
  /// This program opens the browser.
  case opens
  /// The user opens the printed URL.
  case byHand
  /// The browser is on the machine that the user connected from by `ssh`. `tunnel` is the command to run there.
  case elsewhere(tunnel: String)

  var isElsewhere: Bool { if case .elsewhere = self { true } else { false } }
}
