internal import CPlatform
internal import Glibc

/// What a process that holds secrets does before it holds any.
package enum Hygiene {
  /// No core file; no other process of this user may read the memory or attach a debugger
  /// (`PR_SET_DUMPABLE`); new files are for this user alone; a closed pipe is an error, not the end.
  package static func harden() throws(SystemError) {
    try SystemCall.checked(agent_disable_core_dumps(), "setrlimit")
    try SystemCall.checked(agent_set_undumpable(), "prctl")
    umask(0o077)
    Signals.ignoreBrokenPipe()
  }

  /// The same for a program that holds a secret for a moment only, as far as it can be taken back: another
  /// program that takes this process over may write core files again, as its user wants it to.
  package static func hide() { _ = agent_set_undumpable() }

  /// Whether the kernel would write a core file and let others read this process's memory.
  package static var isDumpable: Bool { agent_is_dumpable() != 0 }
}
