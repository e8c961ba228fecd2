internal import CPlatform
internal import Glibc

/// Protects a process before it has secrets, and undoes its parent's settings (invariant: nobody inherits).
package enum ProcessHardening {
  /// Occupies closed standard descriptors, so that no file or socket gets their numbers; exits with status 1 on
  /// failure. Call it before opening anything.
  package static func occupyStandardDescriptors() {
    if agent_occupy_standard_descriptors() < 0 { _exit(1) }
  }

  /// Disables core dumps and debugging by this user's other processes (`PR_SET_DUMPABLE`), makes new files private, and
  /// makes failing writes return errors.
  package static func harden() throws(SystemError) {
    try SystemCall.checked(agent_disable_core_dumps(), "setrlimit")
    try SystemCall.checked(agent_set_undumpable(), "prctl")
    umask(0o077)
    Signals.ignoreFailingWrites()
  }

  /// Undoes the parent's `taskset(1)`, within the limits of the control group. Call it while there is one thread.
  package static func runOnAllProcessors() {
    _ = agent_run_on_all_processors()
  }

  /// Resets the priority (`nice(1)`, `ionice(1)`, `chrt(1)`) and out-of-memory score, as far as allowed. Call it while
  /// there is one thread.
  package static func resetPriority() {
    agent_reset_priority()
    // The lowest values allowed without privileges: 100 or 200 in a session of systemd(1).
    for adjustment in [0, 100, 200] {
      do throws(SystemError) {
        try FileDescriptor(opening: "/proc/self/oom_score_adj", for: .writing)
          .writeAll(Array("\(adjustment)".utf8).span)
        return
      } catch {}
    }
  }

  /// The part of ``harden()`` that `exec` undoes.
  package static func disableDumping() { _ = agent_set_undumpable() }

  /// Whether this user's other processes can read this one's memory, and crashes dump core.
  package static var isDumpable: Bool { agent_is_dumpable() != 0 }
}
