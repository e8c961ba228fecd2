internal import Encoding
internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// A `doctor` request and its results so far.
private final class ExaminationBatch {
  struct Server {
    let configuration: AccountConfiguration
    /// One of the accounts at this server.
    let account: AccountName
    let cancellation = Cancellation()
    /// Nil until examined.
    var examination: IssuerExamination?
  }

  let ticket: Ticket
  let summaries: [AccountSummary]
  let vault: JSONObject
  /// Settings that this version does not know.
  let unknown: [UnknownSetting]
  var servers: [Server] = []
  var serverIndices: [AccountName: Int] = [:]
  var isAnswered = false

  init(_ ticket: Ticket, _ summaries: [AccountSummary], _ vault: JSONObject, _ unknown: [UnknownSetting]) {
    (self.ticket, self.summaries, self.vault, self.unknown) = (ticket, summaries, vault, unknown)
  }
}

/// `doctor`: responds like `status`, with the state of each server.
extension StatusRequests {
  private static let examinationTime = Duration.seconds(2)

  /// Nil examines the servers of all accounts.
  func examine(_ name: String?, _ ticket: Ticket) throws(Failure) {
    let settings = try settings()
    let only = try broker.requestedName(name)
    jobs.run({ [services] in
      (Self.scan(settings, only, services), SettingsFile.unknownSettings(in: services.settingsDirectory))
    }) { [self] scanned in
      let ((summaries, vault), unknown) = scanned.get()
      examine(ExaminationBatch(ticket, summaries, vault, unknown))
    }
  }

  private func examine(_ batch: ExaminationBatch) {
    for summary in batch.summaries where summary.isConfigured {
      let (name, configuration) = (summary.name, summary.configuration)
      let known = batch.servers.firstIndex { $0.configuration.canShareExamination(with: configuration) }
      batch.serverIndices[name] = known ?? batch.servers.count
      if known == nil { batch.servers.append(ExaminationBatch.Server(configuration: configuration, account: name)) }
    }
    for (index, server) in batch.servers.enumerated() {
      let (account, configuration, cancellation) = (server.account, server.configuration, server.cancellation)
      jobs.runWaiting(as: .questions(account), at: configuration.serverIdentifier, cancellation) {
        [services = services(for: account)] () throws(SessionError) in
        services.examineIssuer(of: account, configuration, cancellation: cancellation)
      } then: { [self] outcome in
        do throws(SessionError) { batch.servers[index].examination = try outcome.get() } catch {
          batch.servers[index].examination = IssuerExamination(problem: error)
        }
        if batch.servers.allSatisfy({ $0.examination != nil }) { answer(batch) }
      }
    }
    if batch.servers.isEmpty { return answer(batch) }
    schedule(at: loop.now.advanced(by: Self.examinationTime)) { [self] in answer(batch) }
  }

  /// Responds once all servers have, or after ``examinationTime``.
  private func answer(_ batch: ExaminationBatch) {
    guard !batch.isAnswered else { return }
    batch.isAnswered = true
    for server in batch.servers where server.examination == nil { server.cancellation.cancel() }
    sendAccounts(.status, batch.ticket, batch.summaries, batch.vault, unknown: batch.unknown) {
      [self] summary, account, object in
      object[.proxySource] = summary.configuration.proxySource == .option ? "option" : nil
      object[.askedScope] = .string(summary.configuration.scope.joined(separator: " "))
      object[.unconfirmedOrigins] = .array(summary.unconfirmedOrigins.map { .string($0) })
      object[.failedAt] = account.ownSlot.session.failedAt.map { .int(unixTime($0)) }
      object[.server] = batch.serverIndices[summary.name].map { .object(Self.json(batch.servers[$0].examination)) }
    }
  }

  /// `examination` is nil if the server did not respond in time.
  private static func json(_ examination: IssuerExamination?) -> JSONObject {
    guard let examination else {
      let late = Failure(
        .timeout, "the server did not answer within \(Int(examinationTime.components.seconds)) seconds")
      return JSONObject([("problem", late.json)])
    }
    var object = JSONObject([("milliseconds", .int(examination.milliseconds))])
    object["clock_offset"] = examination.clockOffsetSeconds.map { .int($0) }
    object["keys"] = examination.keys.map { .int($0) }
    if examination.unusableKeys > 0 { object["unusable_keys"] = .int(examination.unusableKeys) }
    object["problem"] = examination.problem.map { Failure($0, account: nil).json }
    return object
  }
}
