internal import Platform
internal import Sessions
internal import Vault
internal import Wire

// Other processes also write the vault.
extension TokenBroker {
  /// Whether the vault may have changed since the cached token's validation.
  func checkForVaultChange(_ slot: TokenSlot) -> Bool {
    guard let grant = slot.session.grant, slot.session.refresh == nil else { return false }
    // Without file watches, a worker must read the file's stamp.
    guard let revision = context.files.vaultRevision else { return true }
    if revision == slot.validation.revision { return false }
    // Watched files are local, so this blocks only briefly.
    guard let stamp = FileStamp(at: vaultPath) else { return true }
    if stamp != slot.validation.stamp {
      // Records in a file written by this process are known.
      let known = services.vault.generation(of: slot.name, inFileWith: stamp)
      guard known == grant.recordGeneration else { return true }
      lock.handleVaultFileChange()
    }
    (slot.validation.stamp, slot.validation.revision) = (stamp, revision)
    return false
  }

  private struct Validation: Sendable {
    let stamp: FileStamp?
    /// Whether the token's record is unchanged. Nil if the vault is unreadable.
    let isCurrent: Bool?
  }

  /// On a worker, drops the cached token if another process has replaced its record in the vault.
  func validate(_ slot: TokenSlot) {
    guard !slot.validation.isRunning, let grant = slot.session.grant else { return }
    slot.validation.isRunning = true
    let (path, known, revision) = (vaultPath, slot.validation.stamp, context.files.vaultRevision)
    jobs.run({ [services, name = slot.name] in
      let stamp = FileStamp(at: path)
      // A missing vault file validates nothing.
      let isKnown = stamp != nil && stamp == known
      return Validation(stamp: stamp, isCurrent: isKnown ? true : services.isCurrent(grant, of: name))
    }) { [self] result in
      slot.validation.isRunning = false
      let validation = result.get()
      // A token that arrived meanwhile was not validated.
      let isOfGrant = slot.session.grant?.recordGeneration == grant.recordGeneration
      if isOfGrant { applyValidation(validation, known, revision, slot) }
      let waiters = slot.waiters.filter(\.awaitsValidation)
      slot.waiters.removeAll(where: \.awaitsValidation)
      for waiter in waiters {
        waiter.awaitsValidation = false
        do throws(SessionError) { try serveOrQueue(waiter, slot, isValidated: isOfGrant) } catch {
          waiter.finish(slot, .failure(error))
        }
      }
    }
  }

  /// `known` is the previous validation's stamp, `revision` the watch revision at this validation's start.
  private func applyValidation(_ validation: Validation, _ known: FileStamp?, _ revision: UInt64?, _ slot: TokenSlot) {
    // If unreadable, the token stays and the next request retries.
    guard let isCurrent = validation.isCurrent else { return }
    if validation.stamp != known || validation.stamp == nil { lock.handleVaultFileChange() }
    if isCurrent {
      (slot.validation.stamp, slot.validation.revision) = (validation.stamp, revision)
    } else {
      logStep(.recordChanged, slot.name)
      slot.session.forgetToken()
    }
  }
}
