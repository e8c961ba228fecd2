internal import Wire

extension SignInScreen {
  /// The whole screen of a sign-in in the browser.
  func text(_ browser: Event.Browser, _ view: BrowserView) -> String {
    var text = heading(
      issuer: browser.issuer, account: browser.account, clientID: browser.clientID, scope: browser.scope)
    text += prose(instruction(browser, view)) + "\n" + line(browser.url) + "\n"
    if browser.mustPaste {
      text += prose(
        Phrase(
          """
          Afterwards the browser goes to an address that begins as below, and may say that it cannot be reached. Copy \
          that whole address from the browser, paste it here and press Enter. It is not shown, since it holds a code \
          that is good once.
          """))
      text += "\n" + line(browser.redirectURI) + "\n"
    }
    return text + prose(Phrase("Only go on if you started this yourself.")) + "\n"
  }

  /// What nobody can sign in without.
  func quietText(_ browser: Event.Browser) -> String {
    prose(Phrase("Open")) + line(browser.url)
      + (browser.mustPaste ? prose(Phrase("and paste the address that the browser goes to afterwards")) : "")
  }

  private func instruction(_ browser: Event.Browser, _ view: BrowserView) -> Phrase {
    let instruction =
      switch view {
      case _ where browser.mustPaste: Phrase("Open this address in any browser, on this device or another:")
      case .opens: Phrase("A browser opens this address. If it does not, open it yourself, on this machine:")
      case .byHand: Phrase("Open this address in a browser on this machine:")
      }
    return browser.urlExpiresAt == nil ? instruction : Phrase("\(instruction) It must be opened soon.")
  }
}

/// Whether the person sees a browser open by itself.
enum BrowserView: Hashable {
  case opens
  case byHand
}
