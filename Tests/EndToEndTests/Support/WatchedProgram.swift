import Encoding
import Platform
import TestSupport
import Testing

/// A program under a pseudo-terminal, and what a person sees there. `Tests/Terminal/watch` does the work.
final class WatchedProgram: Sendable {
  /// A moment of the screen.
  struct Screen {
    /// What stands in each row.
    let rows: [String]
    /// The same, with the rows joined again that the terminal broke.
    let lines: [String]
    /// All that is bold.
    let bold: String
    /// Where the cursor is.
    let row: Int
    let column: Int
    /// All that was written so far.
    let raw: String
    /// Whether the terminal shows what is typed.
    let echoes: Bool
    /// The exit status, 128 and more for a signal; nil while it runs.
    let status: Int?
  }

  private let process: RunningProcess

  /// - Parameter cuts: Whether the terminal cuts lines when it becomes narrower, instead of breaking them anew.
  init(_ tree: AgentTree, columns: Int, cuts: Bool = false, _ variables: [String: String?] = [:], _ command: [String])
    throws
  {
    let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    let environment = tree.environment(["TERM": "xterm-256color"].merging(variables) { _, new in new })
    process = try RunningProcess(
      executable: "/usr/bin/env",
      arguments: ["python3", "\(tests)/Terminal/watch"] + (cuts ? ["--cut"] : []) + ["\(columns)"] + command,
      environment: environment)
  }

  /// Waits until the screen shows a text.
  @discardableResult
  func until(_ text: String) throws -> Screen { try obey("until \(text)") }

  /// Waits until a text was written so many times.
  @discardableResult
  func until(_ text: String, times: Int) throws -> Screen { try obey("times \(times) \(text)") }

  /// Waits until the screen does not show a text any more.
  @discardableResult
  func without(_ text: String) throws -> Screen { try obey("without \(text)") }

  /// Presses Ctrl-C.
  func interrupt() throws { _ = try obey("type ^C") }

  /// Types a text, or a key such as `^Z`.
  @discardableResult
  func type(_ text: String) throws -> Screen { try obey("type \(text)") }

  /// Waits until the terminal shows what is typed, or until it does not.
  @discardableResult
  func untilEcho(_ isOn: Bool) throws -> Screen { try obey("echo \(isOn ? "on" : "off")") }

  /// Changes the width.
  func resize(_ columns: Int) throws -> Screen { try obey("resize \(columns)") }

  /// Writes a picture of the screen (PGM), as a dark or a light terminal shows it.
  func photograph(_ path: String, isLight: Bool) throws { _ = try obey("photo \(isLight ? "light" : "dark") \(path)") }

  func signal(_ number: Int32) throws { _ = try obey("signal \(number)") }

  /// Waits for the program's end.
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
