internal import CPlatform
internal import Glibc

extension Environment {
  /// Removes all variables but those whose names are to be kept.
  ///
  /// For the start of a program: it must not run beside other threads.
  package static func keepOnly(where isKept: (String) -> Bool) {
    for (name, _) in all() where !isKept(name) {
      _ = unsafe agent_environment_remove(name)
    }
  }
  /// Gives a variable a value.
  ///
  /// For the start of a program: it must not run beside other threads.
  /// - Throws: `EINVAL` for a name that cannot be one; `ENOMEM`.
  package static func set(_ name: String, to value: String) throws(SystemError) {
    try SystemCall.library("setenv") { unsafe setenv(name, value, 1) }
  }
}
