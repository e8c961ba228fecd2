/// Finds files relative to the program's own, so that installations can be moved.
enum ProgramTree {
  /// `installed` is relative to an installation, `built` to a build tree.
  static func candidatePaths(near executable: String, installed: String, built: String) -> [String] {
    func parent(of path: Substring) -> Substring { path.lastIndex(of: "/").map { path[..<$0] } ?? "" }
    let directory = parent(of: executable[...])
    return ["\(parent(of: directory))/\(installed)", "\(directory)/\(built)"]
  }
}
