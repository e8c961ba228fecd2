internal import CPlatform

extension Environment {
  /// Removes all variables but the named ones and those with one of the prefixes.
  ///
  /// For the start of a program: it must not run beside other threads.
  package static func keepOnly(names: [String], prefixes: [String]) {
    for (name, _) in all() where !names.contains(name) && !prefixes.contains(where: name.hasPrefix) {
      _ = unsafe agent_environment_remove(name)
    }
  }
}
