/// The places of files that come with the program. They are found from its own file, so that an installed tree can be
/// moved.
enum ProgramTree {
  /// Where something may be, best first: in an installed tree, and in a build tree beside the program.
  static func places(besides executable: String, installed: String, built: String) -> [String] {
    func parent(of path: Substring) -> Substring { path.lastIndex(of: "/").map { path[..<$0] } ?? "" }
    let directory = parent(of: executable[...])
    return ["\(parent(of: directory))/\(installed)", "\(directory)/\(built)"]
  }
}
