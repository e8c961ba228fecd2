internal import CPlatform
internal import Glibc

/// Protects a process before it has any secrets, and undoes settings inherited from its parent (invariant: nobody
/// inherits).
package enum ProcessHardening {
  /// Prevents files and sockets from getting the number of a standard descriptor. A closed one stays unusable. Call it
  /// before opening anything. Ends the process on failure.
  package static func occupyStandardDescriptors() {
    if agent_occupy_standard_descriptors() < 0 { _exit(1) }
  }

  /// Disables core dumps, denies other processes of this user access to the memory and debugging (`PR_SET_DUMPABLE`),
  /// makes new files private to this user, and makes failing writes return errors instead of ending the process.
  package static func harden() throws(SystemError) {
    try SystemCall.checked(agent_disable_core_dumps(), "setrlimit")
    try SystemCall.checked(agent_set_undumpable(), "prctl")
    umask(0o077)
    Signals.ignoreFailingWrites()
  }

  /// Lets this process run on all processors, undoing a restriction by its parent (`taskset(1)`). Call it while there
  /// is one thread. The limits of its control group remain.
  package static func runOnAllProcessors() {
    // If the system refuses, the process keeps its processors.
    _ = agent_run_on_all_processors()
  }

  /// Resets the priority (`nice(1)`, `ionice(1)`, `chrt(1)`), and the kernel's preference for killing this process when
  /// out of memory, as far as the system allows. Call it while there is one thread.
  package static func resetPriority() {
    agent_reset_priority()
    // An unprivileged process can raise the number, and lower it to the last one set by a privileged process: 100 or
    // 200 in a session of systemd(1).
    for adjustment in [0, 100, 200] {
      do throws(SystemError) {
        try FileDescriptor(opening: "/proc/self/oom_score_adj", for: .writing)
          .writeAll(Array("\(adjustment)".utf8).span)
        return
      } catch {}
    }
  }

  /// The part of ``harden()`` that `exec` undoes.
  package static func hide() { _ = agent_set_undumpable() }

  /// Whether the kernel would write a core dump and let others read this process's memory.
  package static var isDumpable: Bool { agent_is_dumpable() != 0 }
}
