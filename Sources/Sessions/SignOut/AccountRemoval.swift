package struct AccountRemoval: Sendable {
  package let revocationResult: SignOutOperation.RevocationResult
  /// Nil if no client was registered.
  package let registration: ClientRegistrationRecord.Deletion?
  /// The active account afterwards, if any.
  package let active: AccountName?
}

extension SignOutOperation {
  /// Signs out the account and removes its settings, but not a pending revocation. Blocking. If interrupted, the
  /// account is signed out and can be removed again.
  package func remove() throws(SessionError) -> AccountRemoval {
    var revocationResult = try run().revocationResult
    // Only the settings name the certificate authority file needed to retry.
    if case .postponed(let error) = revocationResult, record?.record.authority.configuration == nil {
      revocationResult = .failed(error)
    }
    let registration = removeRegistration()
    try clearRecord(keepsRevocation: revocationResult.isPostponed)
    let left = try services.changeSettings { $0.remove(account) }
    return AccountRemoval(revocationResult: revocationResult, registration: registration, active: left.active)
  }

  private var record: StoredRecord? { (try? services.storedRecord(of: account)) ?? nil }

  private func removeRegistration() -> ClientRegistrationRecord.Deletion? {
    guard let record = record?.record else { return nil }
    return record.registration.map { remove($0, of: record) }
  }

  /// With `keepsRevocation`, keeps only a pending revocation.
  private func clearRecord(keepsRevocation: Bool) throws(SessionError) {
    while keepsRevocation, var stored = record, stored.record.revocation != nil {
      (stored.record.registration, stored.record.beganAtResource) = (nil, false)
      do throws(SessionError) {
        try services.write(stored.record, of: account, replacing: stored.generation, wait: nil)
        return
      } catch .signedOut {
        // A refresh in progress has added its token.
      }
    }
    if record != nil { try services.removeLeftover(of: account) }
  }

  private func remove(
    _ registration: ClientRegistrationRecord, of record: AccountRecord
  ) -> ClientRegistrationRecord.Deletion {
    if isLocal { return .local }
    guard let configuration = configuration ?? record.authority.configuration else { return .notOffered }
    do throws(SessionError) {
      // Changed settings must neither redirect the token nor weaken the trust in its server.
      let parsed = try record.parse(configuration, account)
      return registration.delete(parsed.transport, services.http)
    } catch {
      return .failed(error)
    }
  }
}
