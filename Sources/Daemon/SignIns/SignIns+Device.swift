internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Sign-ins by device code. A timer polls the server until the user decides.
extension SignIns {
  /// In seconds. Longer polling intervals are announced to the user.
  private static let longestUnannouncedInterval = 60

  func sendDeviceCode(_ login: Login, _ waiting: SignIn.PendingApproval.Device) {
    let (prepared, code) = (waiting.prepared, waiting.authorization)
    login.polling.device = DevicePolling(code)
    log.note(.signInCode(seconds: code.expiresIn), login.account)
    let expiry = waiting.startedAtUnixSeconds + code.expiresIn
    // Sent first, so that the client can draw it next to the text.
    if login.wantsQRCode { sendQRCode(code.verificationURIComplete ?? code.verificationURI, to: login.ticket) }
    var event = Event.DeviceCode(
      loginID: login.loginID, account: login.account.text, issuer: prepared.configuration.issuer,
      clientID: prepared.configuration.clientID, scope: prepared.scope?.text, userCode: code.userCode,
      verificationURI: code.verificationURI, verificationURIComplete: code.verificationURIComplete,
      expiresAt: expiry, interval: login.polling.device.interval)
    event.warning = "never enter a code that someone sent you"
    send(.deviceCode(event), to: login, until: expiry)
    if login.polling.device.interval > Self.longestUnannouncedInterval {
      let seconds = login.polling.device.interval
      report(
        Phrase("this server can be polled only every \(seconds) seconds, so it may take that long after you approve"),
        to: login)
    }
    detach(login, until: expiry)
    scheduleNextPoll(login)
  }

  private func scheduleNextPoll(_ login: Login) {
    guard let device = login.device else { return }
    let now = services.time.now()
    let elapsed = device.startedAt.duration(to: now).wholeMilliseconds
    switch login.polling.device.next(elapsedMilliseconds: elapsed) {
    case .poll(let wait):
      schedule(at: now.advanced(by: .milliseconds(wait))) { [self, id = login.number] in pollServer(id) }
    case .expire(let wait):
      schedule(at: now.advanced(by: .milliseconds(wait))) { [self, id = login.number] in failExpired(id) }
    }
  }

  private func pollServer(_ id: UInt64) {
    guard let login = logins[id], let device = login.device else { return }
    let lifetime = Duration.seconds(device.authorization.expiresIn)
    // After suspend, expiry is reported at once.
    guard device.startedAt.duration(to: services.time.now()) < lifetime else { return failExpired(id) }
    let approved = jobs.messageSender { [log, account = login.account] (_: Void) in log.note(.signInApproved, account) }
    run(login, then: handlePollResult) {
      [approval = login.approval, signedOutFlag = login.signedOutFlag] () throws(SessionError) in
      try device.poll {
        guard approval.approve() else { return false }
        approved(())
        return true
      } mayEndSession: {
        signedOutFlag.withLock(\.self)
      }
    }
  }

  private func handlePollResult(_ id: UInt64, _ outcome: Result<SignIn.PendingApproval.Poll, SessionError>) {
    guard let login = logins[id] else { return }
    switch outcome {
    case .failure(let error): finishLogin(id, .failure(error))
    case .success(.signedIn(let outcome)): finishLogin(id, .success(outcome))
    case .success(.undecided(let pending)):
      let interval = login.polling.device.interval
      login.polling.device.adjustInterval(after: pending)
      if login.polling.device.interval != interval {
        log.note(.signInSlowed(seconds: login.polling.device.interval), login.account)
      }
      if login.polling.device.suspectsFastClock, !login.polling.hasWarnedOfClock {
        login.polling.hasWarnedOfClock = true
        report(Phrase("the server keeps asking to slow down: this machine's clock may be too fast"), to: login)
      }
      logStep(.signInPending(seconds: login.polling.device.interval), login.account)
      scheduleNextPoll(login)
    }
  }
}
