internal import CPlatform
internal import Glibc

/// The protection of a process that holds secrets, to be set before it holds any. Settings of the process that started
/// it do not apply to it: the invariant "Nobody inherits".
package enum ProcessHardening {
  /// Makes sure that no file or socket gets the number of a standard descriptor: a message would go there. One that was
  /// closed stays unusable. To be called before anything is opened; ends the process where that is not possible.
  package static func occupyStandardDescriptors() {
    if agent_occupy_standard_descriptors() < 0 { _exit(1) }
  }

  /// No core file; no other process of this user may read the memory or attach a debugger (`PR_SET_DUMPABLE`); new
  /// files are private to this user; a write that fails does not end the process.
  package static func harden() throws(SystemError) {
    try SystemCall.checked(agent_disable_core_dumps(), "setrlimit")
    try SystemCall.checked(agent_set_undumpable(), "prctl")
    umask(0o077)
    Signals.ignoreFailingWrites()
  }

  /// Lets this process run on all processors again, whichever its starter was kept to (`taskset(1)`). To be called while it
  /// has one thread. The limits of its control group stay.
  package static func runOnAllProcessors() {
    // Where the system refuses it, the process works on those that it has.
    _ = agent_run_on_all_processors()
  }

  /// Gives this process the usual priority (`nice(1)`, `ionice(1)`, `chrt(1)`), and makes the kernel kill it neither sooner
  /// nor later than others when memory runs out, as far as the system allows. To be called while it has one thread.
  package static func resetPriority() {
    agent_reset_priority()
    // A process without privileges can raise the number, and lower it to the last one that a privileged process set: 100
    // or 200 in a session of systemd(1).
    for adjustment in [0, 100, 200] {
      do throws(SystemError) {
        try FileDescriptor(opening: "/proc/self/oom_score_adj", for: .writing)
          .writeAll(Array("\(adjustment)".utf8).span)
        return
      } catch {}
    }
  }

  /// The part of ``harden()`` that `exec` undoes, for a program that holds a secret only briefly: a program that
  /// replaces this process may write core files as its user wants.
  package static func hide() { _ = agent_set_undumpable() }

  /// Whether the kernel would write a core file and let others read this process's memory.
  package static var isDumpable: Bool { agent_is_dumpable() != 0 }
}
