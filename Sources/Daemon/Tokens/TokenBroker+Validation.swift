internal import Peers
internal import Platform
internal import Sessions
internal import Vault
internal import Vocabulary
internal import Wire

// Validates cached tokens against the vault, which other processes also write.
extension TokenBroker {
  /// Whether the vault may have changed since the account's cached token was validated.
  func needsValidation(_ slot: TokenSlot) -> Bool {
    guard let grant = slot.session.grant, slot.session.refresh == nil else { return false }
    // Without file watches, only the stamp shows changes; a worker reads it.
    guard let revision = context.files.vaultRevision else { return true }
    if revision == slot.validation.revision { return false }
    // A watched file is on a local disk and was just written.
    guard let stamp = FileStamp(at: vaultPath) else { return true }
    if stamp != slot.validation.stamp {
      // For files that this process wrote itself, the records are known.
      let known = services.vault.generation(of: slot.name, inFileWith: stamp)
      guard known == grant.recordGeneration else { return true }
      lock.vaultFileChanged()
    }
    (slot.validation.stamp, slot.validation.revision) = (stamp, revision)
    return false
  }

  private struct Validation: Sendable {
    let stamp: FileStamp?
    /// Nil if the vault cannot be read now.
    let isCurrent: Bool?
  }

  /// Drops a cached token whose vault record is no longer the one it was issued with, because another process may have
  /// replaced that record. A worker reads the record, only if the vault file has changed; requests for the token wait
  /// for it, and no others (the loop never blocks).
  func validate(_ slot: TokenSlot) {
    guard !slot.validation.isRunning, let grant = slot.session.grant else { return }
    slot.validation.isRunning = true
    let (path, known, revision) = (vaultPath, slot.validation.stamp, context.files.vaultRevision)
    jobs.run({ [services, name = slot.name] in
      let stamp = FileStamp(at: path)
      // Without a vault file the token is not validated, as before the first validation.
      let isKnown = stamp != nil && stamp == known
      return Validation(stamp: stamp, isCurrent: isKnown ? true : services.isCurrent(grant, of: name))
    }) { [self] result in
      slot.validation.isRunning = false
      let validation = result.get()
      // The result does not apply to a token that arrived meanwhile.
      let isOfGrant = slot.session.grant?.recordGeneration == grant.recordGeneration
      if isOfGrant { take(validation, known, revision, slot) }
      let waiters = slot.waiters.filter(\.awaitsValidation)
      slot.waiters.removeAll(where: \.awaitsValidation)
      for waiter in waiters {
        waiter.awaitsValidation = false
        do throws(SessionError) { try request(for: waiter, slot, isValidated: isOfGrant) } catch {
          waiter.finish(slot, .failure(error))
        }
      }
    }
  }

  private func take(_ validation: Validation, _ known: FileStamp?, _ revision: UInt64?, _ slot: TokenSlot) {
    // If the vault cannot be read now, the token stays; the next request reads again.
    guard let isCurrent = validation.isCurrent else { return }
    // Another process may also have changed the key slots.
    if validation.stamp != known || validation.stamp == nil { lock.vaultFileChanged() }
    if isCurrent {
      (slot.validation.stamp, slot.validation.revision) = (validation.stamp, revision)
    } else {
      step(.recordChanged, slot.name)
      slot.session.forgetToken()
    }
  }
}
