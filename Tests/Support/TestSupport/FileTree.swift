package enum FileTree {
  /// Removes a file, or a directory with its content. Does not follow symbolic links.
  package static func remove(_ path: String) throws(ProcessFailure) {
    let removal = try ProcessRunner.run(executable: "/bin/rm", arguments: ["-rf", "--", path])
    guard removal.succeeded else { throw ProcessFailure.ended(error: removal.errorText) }
  }
}
