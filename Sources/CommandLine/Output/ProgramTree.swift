/// The paths of files that come with the program. They are relative to its own file, so that an installed tree can be
/// moved.
enum ProgramTree {
  /// Candidate paths, in order of preference: in an installed tree, and in a build tree next to the program.
  static func places(besides executable: String, installed: String, built: String) -> [String] {
    func parent(of path: Substring) -> Substring { path.lastIndex(of: "/").map { path[..<$0] } ?? "" }
    let directory = parent(of: executable[...])
    return ["\(parent(of: directory))/\(installed)", "\(directory)/\(built)"]
  }
}
