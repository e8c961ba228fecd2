internal import Encoding

/// Writes variables one after the other in the syntax of a shell.
struct VariableWriter {
  let shell: Shell
  private var isFirst = true

  init(_ shell: Shell) { self.shell = shell }

  /// Comes before the first variable.
  func begin<Sink: ByteSink & ~Copyable>(_ sink: inout Sink) {
    if shell == .json { sink.append(UInt8(ascii: "{")) }
  }

  /// Comes after the last variable.
  func end<Sink: ByteSink & ~Copyable>(_ sink: inout Sink) {
    if shell == .json { sink.append(utf8: "}\n") }
  }

  /// Sets and exports a variable.
  ///
  /// - Parameter value: Well-formed UTF-8.
  /// - Throws: ``ShellQuoting/Problem`` when the value cannot be a variable's.
  mutating func set<Sink: ByteSink & ~Copyable>(
    _ name: String, to value: Span<UInt8>, in sink: inout Sink
  ) throws(ShellQuoting.Problem) {
    switch shell {
    case .sh, .bash, .zsh:
      sink.append(utf8: "\(name)=")
      try ShellQuoting.appendQuoted(value, to: &sink)
      sink.append(utf8: "; export \(name);\n")
    case .csh:
      sink.append(utf8: "setenv \(name) ")
      try ShellQuoting.appendQuoted(value, to: &sink)
      sink.append(utf8: ";\n")
    case .fish:
      sink.append(utf8: "set -gx \(name) ")
      try FishQuoting.appendQuoted(value, to: &sink)
      sink.append(utf8: ";\n")
    case .dotenv:
      sink.append(utf8: "\(name)=")
      try DotenvQuoting.appendQuoted(value, to: &sink)
      sink.append(UInt8(ascii: "\n"))
    case .json:
      // JSON can hold it, but no variable can.
      for index in value.indices where value[index] == 0 { throw .controlByte }
      appendName(name, to: &sink)
      sink.append(jsonStringBytes: value)
    }
  }

  /// Makes a variable one that is not set. A `.env` file can only give it an empty value.
  mutating func unset<Sink: ByteSink & ~Copyable>(_ name: String, in sink: inout Sink) {
    switch shell {
    case .sh, .bash, .zsh: sink.append(utf8: "unset \(name);\n")
    case .csh: sink.append(utf8: "unsetenv \(name);\n")
    // fish calls it a failure to erase what is not there.
    case .fish: sink.append(utf8: "set -ge \(name); true;\n")
    case .dotenv: sink.append(utf8: "\(name)=\"\"\n")
    case .json:
      appendName(name, to: &sink)
      sink.append(utf8: "null")
    }
  }

  private mutating func appendName<Sink: ByteSink & ~Copyable>(_ name: String, to sink: inout Sink) {
    if !isFirst { sink.append(UInt8(ascii: ",")) }
    isFirst = false
    sink.append(utf8: "\"\(name)\":")
  }
}
