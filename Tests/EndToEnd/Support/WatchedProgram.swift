import Encoding
import Platform
import TestSupport
import Testing

/// A program on a pseudo-terminal, with the screen that a user sees. Implemented by `Tests/Tools/Terminal/watch`.
final class WatchedProgram: Sendable {
  struct Screen {
    let rows: [String]
    /// The text of each line, with wrapped rows joined.
    let lines: [String]
    let bold: String
    /// The position of the cursor.
    let row: Int
    let column: Int
    /// All output so far.
    let raw: String
    /// Whether the terminal echoes input.
    let echoes: Bool
    /// The exit status, or 128 plus the signal; nil while the program is running.
    let status: Int?
  }

  private let process: RunningProcess

  /// - Parameter cuts: Whether the terminal cuts lines when it becomes narrower, instead of wrapping them again.
  init(
    _ tree: AgentTree, columns: Int, rows: Int = 24, cuts: Bool = false, _ variables: [String: String?] = [:],
    _ command: [String]
  ) throws {
    let environment = tree.environment(["TERM": "xterm-256color"].merging(variables) { _, new in new })
    process = try RunningProcess(
      executable: "/usr/bin/env",
      arguments: ["python3", PackageFiles.path("Tests/Tools/Terminal/watch")] + (cuts ? ["--cut"] : []) + [
        "--rows", "\(rows)", "\(columns)",
      ]
        + command,
      environment: environment)
  }

  @discardableResult
  func until(_ text: String) throws -> Screen { try obey("until \(text)") }

  /// Waits until a text was written this many times.
  @discardableResult
  func until(_ text: String, times: Int) throws -> Screen { try obey("times \(times) \(text)") }

  /// Waits until the screen no longer shows a text.
  @discardableResult
  func without(_ text: String) throws -> Screen { try obey("without \(text)") }

  func interrupt() throws { _ = try obey("type ^C") }

  /// Types a text, or a key such as `^Z`.
  @discardableResult
  func type(_ text: String) throws -> Screen { try obey("type \(text)") }

  @discardableResult
  func untilEcho(_ isOn: Bool) throws -> Screen { try obey("echo \(isOn ? "on" : "off")") }

  func resize(_ columns: Int) throws -> Screen { try obey("resize \(columns)") }

  /// Writes a picture of the screen (PGM), as on a dark or a light terminal.
  func photograph(_ path: String, isLight: Bool) throws { _ = try obey("photo \(isLight ? "light" : "dark") \(path)") }

  func signal(_ number: Int32) throws { _ = try obey("signal \(number)") }

  func end() throws -> Screen { try obey("end") }

  private func obey(_ order: String) throws -> Screen {
    try process.send(order + "\n")
    let answer = try JSON(parsing: Array(process.readLine().utf8))
    let echoes = answer["echoes"] == true
    let screen = Screen(
      rows: answer["rows"]?.array?.compactMap { $0.string } ?? [],
      lines: answer["lines"]?.array?.compactMap { $0.string } ?? [],
      bold: answer["bold"]?.string ?? "", row: try #require(answer["row"]?.int),
      column: try #require(answer["column"]?.int), raw: try #require(answer["raw"]?.string),
      echoes: echoes, status: answer["status"]?.int)
    try #require(answer["done"] == true, "\(order): \(screen.rows)")
    return screen
  }
}
