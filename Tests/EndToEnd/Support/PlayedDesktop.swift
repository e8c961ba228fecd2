import Platform
import TestSupport
import Testing

/// The machine's message bus and the user's, both real, with a simulated login manager and screen saver. They run
/// with the tree's daemon in their own mount namespace.
final class PlayedDesktop: Sendable {
  /// A simulated event.
  enum Deed: String {
    /// logind asks one of the user's sessions to lock its screen.
    case lockOwnSession = "own"
    /// Like ``lockOwnSession``, but for another user's session.
    case lockOtherSession = "other"
    /// A sender other than logind sends the same message as ``lockOwnSession``.
    case pretend = "pretend"
    case saverOn = "on"
    case saverOff = "off"
  }

  private let process: RunningProcess

  init(_ tree: AgentTree) throws {
    try tree.directory.write("bus.conf", Self.configuration)
    try tree.directory.write("play.py", Self.script)
    let arguments = [
      try Programs.path("agent"), tree.path("bus.conf"), tree.path("runtime/bus"), tree.path("play.py"),
      "\(Machine.userID)",
    ]
    process = try RunningProcess(
      executable: "/usr/bin/unshare", arguments: OtherMachine.namespace + ["/bin/sh", "-c", Self.start] + arguments,
      environment: tree.environment())
    try #require(try process.readLine() == "ready")
  }

  /// Simulates an event, and waits until the daemon has read its message.
  func play(_ deed: Deed) throws {
    try process.send(deed.rawValue + "\n")
    try #require(try process.readLine() == "done")
  }

  static let isPossible =
    OtherMachine.isPossible && Spawn.search("dbus-daemon") != nil
    && (try? ProcessRunner.shell("python3 -c 'import dbus'").succeeded) == true

  private static let start = """
    set -e
    mount -t tmpfs none /run
    mkdir -p /run/dbus /run/systemd/sessions
    printf 'UID=%s\\n' "$4" >/run/systemd/sessions/7
    printf 'UID=%s\\n' "$(($4 + 1))" >/run/systemd/sessions/8
    dbus-daemon --config-file="$1" --nofork & system=$!
    dbus-daemon --session --address="unix:path=$2" --nofork & user=$!
    trap 'kill $system $user' EXIT
    while [ ! -S /run/dbus/system_bus_socket ] || [ ! -S "$2" ]; do kill -0 $system $user; sleep 0.05; done
    "$0" daemon start --quiet >/dev/null
    # The test is the user outside of the namespace.
    rm -f "${2%/*}/agent/namespaces"
    python3 "$3" "$2"
    """

  private static let configuration = """
    <busconfig>
      <type>system</type>
      <listen>unix:path=/run/dbus/system_bus_socket</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow user="*"/> <allow own="*"/> <allow send_type="signal"/> <allow send_destination="*"/>
        <allow receive_sender="*"/>
      </policy>
    </busconfig>
    """

  private static let script = #"""
    import sys, dbus
    from dbus.bus import BusConnection
    from dbus.lowlevel import SignalMessage

    machine = BusConnection("unix:path=/run/dbus/system_bus_socket")
    machine.request_name("org.freedesktop.login1")
    impostor = BusConnection("unix:path=/run/dbus/system_bus_socket")
    desktop = BusConnection("unix:path=" + sys.argv[1])
    ours = {machine.get_unique_name(), impostor.get_unique_name(), desktop.get_unique_name()}

    def listeners(bus):
        return [name for name in bus.list_names() if name.startswith(":") and name not in ours]

    # Messages are read in order, so whoever answers this has read what came before.
    def settle(bus):
        for name in listeners(bus):
            bus.call_blocking(name, "/", "org.freedesktop.DBus.Peer", "Ping", "", ())

    def lock(bus, session, destination=None):
        # In a path the name of a session cannot begin with a digit: it is written in hexadecimal.
        path = "/org/freedesktop/login1/session/_3" + session
        message = SignalMessage(path, "org.freedesktop.login1.Session", "Lock")
        if destination: message.set_destination(destination)
        bus.send_message(message)
        bus.flush()

    def saver(state):
        message = SignalMessage("/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver", "ActiveChanged")
        message.append(dbus.Boolean(state))
        desktop.send_message(message)
        desktop.flush()

    def pretend():
        for name in listeners(impostor): lock(impostor, "7", name)
        lock(impostor, "7")

    deeds = {
        "own": lambda: lock(machine, "7"), "other": lambda: lock(machine, "8"), "pretend": pretend,
        "on": lambda: saver(True), "off": lambda: saver(False),
    }
    print("ready", flush=True)
    for line in sys.stdin:
        deeds[line.strip()]()
        settle(machine)
        settle(desktop)
        print("done", flush=True)
    """#
}
