/// Finds files that belong to the program, relative to its own file, so that an installation can be moved.
enum ProgramTree {
  /// The possible paths: installed first, then in a build tree.
  static func places(besides executable: String, installed: String, built: String) -> [String] {
    func parent(of path: Substring) -> Substring { path.lastIndex(of: "/").map { path[..<$0] } ?? "" }
    let directory = parent(of: executable[...])
    return ["\(parent(of: directory))/\(installed)", "\(directory)/\(built)"]
  }
}
