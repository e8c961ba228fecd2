internal import CPlatform

extension Environment {
  /// Removes all variables but those whose names are to be kept.
  ///
  /// For the start of a program: it must not run beside other threads.
  package static func keepOnly(where isKept: (String) -> Bool) {
    for (name, _) in all() where !isKept(name) {
      _ = unsafe agent_environment_remove(name)
    }
  }
}
