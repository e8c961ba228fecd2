internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Sends requests with a token of the account chosen by the resource's origin. Repeats a request once if its token is
/// rejected.
final class ResourceRequests: AccountPart {
  private var transfers: [Ticket: ResourceTransfer] = [:]
  private(set) lazy var leases = Leases(context, broker)
  private var inlineResponseBodies: [Ticket: InlineResponseBody] = [:]
  private var inlineRequestBodies: [Ticket: InlineRequestBody] = [:]

  private static let unlimitedTime = Duration.seconds(10 * 365 * 86_400)

  func call(
    _ request: CallRequest, _ ticket: Ticket, timeoutSeconds: Int?, passed: [SharedDescriptor]
  ) throws(Failure) {
    let transfer = try ResourceTransfer(
      request, ticket, timeoutSeconds: timeoutSeconds ?? WireProtocol.defaultTimeoutSeconds,
      waitsUntil: waitDeadline(request.waitSeconds), passed: passed,
      reportHead: jobs.messageSender { [unowned self] head in forwardHead(ticket, head) })
    let url = ResourceURL(of: transfer.target.endpoint)
    try requireCapacity(for: url.origin)
    let (named, gate) = (try broker.requestedName(request.account), try accountSelector(for: ticket))
    transfers[ticket] = transfer
    if let body = transfer.responseBodyReader { inlineResponseBodies[ticket] = InlineResponseBody(body, ticket, loop) }
    if let content = transfer.takeRequestBodyWriter() {
      inlineRequestBodies[ticket] = InlineRequestBody(content, ticket, loop)
    }
    inlineResponseBodies[ticket]?.begin()
    inlineRequestBodies[ticket]?.begin()
    guard isInProgress(transfer) else { return }
    jobs.run({ () throws(SessionError) in try gate.selectAccount(for: url, named: named) }) { [self] outcome in
      handleChoice(transfer, outcome)
    }
  }

  /// Throws if too many requests are in progress, in total or to this origin (invariant: fair shares).
  private func requireCapacity(for origin: ResourceOrigin) throws(Failure) {
    let others = transfers.values.filter { !$0.isStream }
    let sameOrigin = others.count { ResourceOrigin(of: $0.target.endpoint) == origin }
    guard others.count < ResourceTransfer.maximumConcurrent, sameOrigin < ResourceTransfer.maximumPerOrigin else {
      throw Failure(
        .tooBusy, "too many requests (\(others.count)) are already in progress",
        hint: "try again when some have ended")
    }
  }

  private func forwardHead(_ ticket: Ticket, _ head: ResponseHead) {
    if let transfer = transfers[ticket], head.isEventStream {
      guard eventStreamCount < ResourceTransfer.maximumEventStreams else {
        return fail(
          transfer,
          Failure(
            .tooBusy, "\(ResourceTransfer.maximumEventStreams) event streams are already open",
            hint: "try again when some have ended"))
      }
      transfer.isStream = true
    }
    loop.send(.event(.response(head)), to: ticket)
  }

  private var eventStreamCount: Int { transfers.values.reduce(0) { $0 + ($1.isStream ? 1 : 0) } }

  private func isInProgress(_ transfer: ResourceTransfer) -> Bool { transfers[transfer.ticket] === transfer }

  private func handleChoice(_ transfer: ResourceTransfer, _ outcome: Result<SelectedAccount, SessionError>) {
    guard isInProgress(transfer) else { return }
    switch outcome {
    case .failure(let error): fail(transfer, Failure(error, account: nil))
    case .success(let choice):
      do { try transfer.setAccount(from: choice) } catch { return fail(transfer, error) }
      context.stepSubscribers.narrow(transfer.ticket, to: choice.account)
      obtainToken(for: transfer) { _ in TokenNeed() }
    }
  }

  /// Gets the token that the slot needs, then sends the request.
  private func obtainToken(for transfer: ResourceTransfer, _ need: (TokenSlot) -> TokenNeed) {
    do {
      let account = try broker.resolve(transfer.account?.text)
      let now = services.time.now()
      let begin = transfer.waitsUntil.map { max(now, $0) } ?? now
      loop.setDeadline(begin.advanced(by: .seconds(transfer.timeoutSeconds)), of: transfer.ticket)
      let target = transfer.tokenTarget
      let waiter = Waiter(
        ticket: transfer.ticket, need: need(account.slot(for: target)), target: target, waitsUntil: transfer.waitsUntil,
        isAfterRefusal: transfer.hasRefreshed
      ) { [self] slot, outcome in
        do throws(Failure) { self.sendRequest(transfer, slot, try outcome.grantOrFailure(of: slot)) } catch {
          fail(transfer, error)
        }
      }
      broker.obtain(for: waiter, account)
    } catch {
      fail(transfer, error)
    }
  }

  func sendRequest(_ transfer: ResourceTransfer, _ slot: TokenSlot, _ grant: AccessGrant) {
    guard isInProgress(transfer) else { return }
    let now = services.time.now()
    loop.setDeadline(now.advanced(by: Self.unlimitedTime), of: transfer.ticket)
    let isRefused = slot.refusals.arePermanent(at: transfer.target.origin, now: now)
    let generation = slot.session.generation
    let mayRefresh = !transfer.hasRefreshed && !isRefused
    let question = SessionRequests(
      account: slot.name, configuration: slot.configuration, grant: grant, services: services(for: slot.name),
      cancellation: transfer.cancellation)
    jobs.runWaiting(as: WaitShare(transfer.ticket), transfer.cancellation) { () throws(SessionError) in
      try transfer.content?.prepare(stallSeconds: transfer.timeoutSeconds)
      return try question.call(
        transfer.target, content: transfer.content, receiver: transfer.receiver, mayRefresh: mayRefresh,
        stallSeconds: transfer.timeoutSeconds)
    } then: { [self] outcome in
      handleAttemptResult(transfer, grant, generation, outcome)
    }
  }

  private func handleAttemptResult(
    _ transfer: ResourceTransfer, _ grant: AccessGrant, _ generation: UInt64,
    _ outcome: Result<ResourceCall.Outcome, SessionError>
  ) {
    guard isInProgress(transfer), let name = transfer.account else { return }
    let slot = broker.slot(name, transfer.tokenTarget)
    let (origin, now) = (transfer.target.origin, services.time.now())
    switch outcome {
    case .failure(let error):
      if scheduleRetry(transfer, error) { return }
      inlineResponseBodies[transfer.ticket]?.drain()
      fail(transfer, Failure(error, account: name.text))
    case .success(.begun(let rest)):
      jobs.wait(transfer.cancellation, rest.receive) { [self] in handleAttemptResult(transfer, grant, generation, $0) }
    case .success(.refused(let claims)):
      transfer.hasRefreshed = true
      // Missing claims do not make a token invalid.
      if claims == nil { slot?.refusals.recordRefusal(by: origin, generation: generation, now: now) }
      // Another request may have obtained a new token.
      obtainToken(for: transfer) {
        var need = TokenNeed(forceRefresh: grant.hasSameToken(as: $0.session.grant))
        need.claims = claims
        return need
      }
    case .success(.answered(let response, let verdict)):
      transfers[transfer.ticket] = nil
      inlineRequestBodies[transfer.ticket] = nil
      guard let account = broker.accounts[name] else {
        return loop.send(.failure(Failure(.signedOut(account: name.text), account: name.text)), to: transfer.ticket)
      }
      let isRefused = if case .refused = verdict { true } else { false }
      if isRefused {
        slot?.refusals.recordRefusal(by: origin, generation: generation, now: now)
      } else {
        slot?.refusals.recordAcceptance(by: origin)
      }
      let isPermanent = slot?.refusals.arePermanent(at: origin, now: now) ?? false
      let answer = { [self] in
        inlineResponseBodies[transfer.ticket] = nil
        self.answer(response, verdict, transfer, account, grant, isPermanent: isPermanent)
      }
      if let body = inlineResponseBodies[transfer.ticket] {
        body.end(after: response.contentBytes, answer)
      } else {
        answer()
      }
      // The body cannot be sent again.
      if isRefused, !isPermanent, let slot, grant.hasSameToken(as: slot.session.grant), slot.session.refresh == nil {
        slot.session.forgetToken()
      }
    }
  }

  /// Retries a request that was never sent. Returns false if it may not wait.
  private func scheduleRetry(_ transfer: ResourceTransfer, _ error: SessionError) -> Bool {
    let now = services.time.now()
    guard let end = transfer.waitsUntil, error.wasNeverSent else { return false }
    let due = now.advanced(by: .seconds(min(15, 1 << min(transfer.failedAttempts, 4))))
    guard due < end else { return false }
    transfer.failedAttempts += 1
    schedule(at: due) { [self] in
      if isInProgress(transfer) { obtainToken(for: transfer) { _ in TokenNeed() } }
    }
    return true
  }

  private func answer(
    _ response: ResourceResponse, _ verdict: ResourceVerdict, _ transfer: ResourceTransfer, _ account: Account,
    _ grant: AccessGrant, isPermanent: Bool
  ) {
    let origin = transfer.target.origin.text
    if case .redirected(let location) = verdict {
      let notice = Phrase("\(origin) redirects to \(location ?? "…"), which was not followed")
      loop.send(.event(.notice(notice)), to: transfer.ticket)
    }
    var result = JSONObject([
      ("account", .string(account.name.text)), ("status", .int(response.head.status)),
      ("body_bytes", .int(response.contentBytes)),
    ])
    result["problem"] =
      Failure(response.head, verdict, to: transfer, with: grant, of: account, isPermanent: isPermanent)?.json
    loop.send(.result(result), to: transfer.ticket)
  }

  func fail(_ transfer: ResourceTransfer, _ failure: Failure) {
    guard isInProgress(transfer) else { return }
    end(transfer)
    loop.send(.failure(failure), to: transfer.ticket)
  }

  /// Cancels and removes a request.
  func end(_ transfer: ResourceTransfer) {
    transfer.cancellation.cancel()
    transfers[transfer.ticket] = nil
    inlineResponseBodies[transfer.ticket] = nil
    transfer.incompleteRequestBody = inlineRequestBodies.removeValue(forKey: transfer.ticket)
    transfer.incompleteRequestBody?.stop()
  }

  /// Nil fails the requests of all accounts.
  func endTransfers(of account: AccountName? = nil, _ failure: Failure) {
    for transfer in transfers.values where account == nil || transfer.account == account { fail(transfer, failure) }
  }

  /// Cancels a request whose sender disconnected.
  func abandon(_ ticket: Ticket) {
    if let transfer = transfers[ticket] { end(transfer) }
    inlineResponseBodies[ticket] = nil
  }

  // MARK: Bodies

  func expectsBody(_ ticket: Ticket) -> Bool { inlineRequestBodies[ticket] != nil }

  func appendBodyPart(_ part: ResourceBodyRequest, _ ticket: Ticket) {
    guard let transfer = transfers[ticket], let content = inlineRequestBodies[ticket] else { return }
    do { try content.append(part) } catch { fail(transfer, error) }
  }
}
