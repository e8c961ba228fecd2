internal import Wire

extension SignInScreen {
  /// The whole screen of a sign-in in the browser.
  func text(_ browser: Event.Browser, _ view: BrowserView) -> String {
    var text = heading(
      issuer: browser.issuer, account: browser.account, clientID: browser.clientID, scope: browser.scope)
    text += prose(instruction(browser, view)) + "\n" + line(browser.url) + "\n"
    if browser.mustPaste {
      text += prose(
        "Afterwards the browser goes to an address that begins as below, and may say that it cannot be reached. Copy"
          + " that whole address from the browser, paste it here and press Enter. It is not shown, since it holds a code"
          + " that is good once.")
      text += "\n" + line(browser.redirectURI) + "\n"
    }
    return text + prose("Only go on if you started this yourself.") + "\n"
  }

  /// What nobody can sign in without.
  func quietText(_ browser: Event.Browser) -> String {
    prose("Open") + line(browser.url)
      + (browser.mustPaste ? prose("and paste the address that the browser goes to afterwards") : "")
  }

  private func instruction(_ browser: Event.Browser, _ view: BrowserView) -> String {
    let limit = browser.urlExpiresAt.map { _ in " It must be opened soon." } ?? ""
    switch view {
    case _ where browser.mustPaste: return "Open this address in any browser, on this device or another:" + limit
    case .opens: return "A browser opens this address. If it does not, open it yourself, on this machine:" + limit
    case .byHand: return "Open this address in a browser on this machine:" + limit
    }
  }
}

/// Whether the person sees a browser open by itself.
enum BrowserView: Hashable {
  case opens
  case byHand
}
