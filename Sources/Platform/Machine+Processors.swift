internal import Glibc

extension Machine {
  /// How many processors there are to run threads on, at least one.
  package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
