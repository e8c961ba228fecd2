/// Finds files relative to the program's own file, so that an installation can be moved.
enum ProgramTree {
  /// The paths of a file: `installed` in an installation, and `built` in a build tree.
  static func candidatePaths(near executable: String, installed: String, built: String) -> [String] {
    func parent(of path: Substring) -> Substring { path.lastIndex(of: "/").map { path[..<$0] } ?? "" }
    let directory = parent(of: executable[...])
    return ["\(parent(of: directory))/\(installed)", "\(directory)/\(built)"]
  }
}
