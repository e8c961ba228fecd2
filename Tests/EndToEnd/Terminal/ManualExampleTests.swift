import Encoding
import Platform
import TestSupport
import Testing

/// The lines of EXAMPLES in agent(1) and in the pages of the commands, run by their shells.
///
/// Replaces only values that the page cannot know: the server's URL, the client ID there, and the permission for
/// plain http. The programs and files of the examples are created in the current directory.
@Suite(.needsPrograms) struct `An example of the manual` {
  /// How to run a line, and how to check its effect.
  struct Trial: Sendable {
    var shells = ["dash", "bash"]
    /// Run in the same shell, before and after the line.
    var before = ""
    var after = ""
    /// The expected standard output. The words in capitals are known afterwards.
    var output = ""
    /// Text expected on standard error; empty if it must be empty.
    var message = ""
    var isSignedIn = true
  }

  static let trials: [String: Trial] = [
    "agent login work --issuer https://id.example.com --client-id my-cli --scope 'openid offline_access'":
      Trial(message: "agent: signed in to ISSUER as ", isSignedIn: false),
    "agent login home --issuer https://id.example.com --client-id my-cli": Trial(
      message: "agent: signed in to ISSUER as ", isSignedIn: false),
    "agent login work": Trial(before: "agent logout -q", message: "agent: signed in to ISSUER as "),
    "agent token --header | curl -H @- https://api.example.com/me": Trial(
      before: "curl() { command curl -sS --fail \"$@\"; }", output: #"{"sub":"SUBJECT""#),
    "agent proof --header https://api.example.com/me | curl -H @- https://api.example.com/me": Trial(
      before: Self.bound + "; curl() { command curl -sS --fail \"$@\"; }",
      output: #"{"sub":"SUBJECT""#),
    #"eval "$(agent env)""#: Trial(after: Self.printsVariables, output: Self.variables),
    "agent env --shell fish | source": Trial(shells: ["fish"], after: Self.printsVariables, output: Self.variables),
    #"eval "`agent env --shell csh`""#:
      Trial(shells: ["bsd-csh", "tcsh"], after: Self.printsVariables, output: Self.variables),
    "agent env --shell github-actions": Trial(
      before: "export GITHUB_ENV=steps", after: "grep -q '^AGENT_ACCESS_TOKEN<<end-' steps",
      output: "::add-mask::TOKEN\n"),
    #"eval "$(agent env --var GITHUB_TOKEN=access_token)""#:
      Trial(after: "printenv GITHUB_TOKEN; printenv AGENT_ACCESS_TOKEN || :", output: "TOKEN\n"),
    #"eval "$(agent env --hook bash --var GITHUB_TOKEN=access_token)""#: Trial(
      shells: ["bash"],
      after:
        "until [ -n \"$GITHUB_TOKEN\" ]; do __agent_env_due=0; __agent_env_hook; done; printf '%s\\n' \"$GITHUB_TOKEN\"",
      output: "TOKEN\n"),
    "agent exec --token-file --signal HUP -- ./server --token-file-from AGENT_TOKEN_FILE": Trial(
      output: "served with TOKEN\n"),
    "export BEARER_TOKEN_FILE=\"$(agent token-file add work)\"": Trial(
      after: "cat \"$BEARER_TOKEN_FILE\"", output: "TOKEN"),
    "agent token-file add work --wlcg": Trial(before: "exec >/dev/null"),
    "agent token-file remove work": Trial(
      before: "agent token-file add work >/dev/null", message: "agent: removed the token files of work\n"),
    "agent exec --lease --only api.example.com/notes --method GET --for 1h work -- ./assistant": Trial(
      before: """
        issuer=$(agent account show work --json | jq -r .settings.issuer); agent account set work --host "$issuer" -q
        printf '#!/bin/sh\nagent request %s/echo\n' "$issuer" >assistant; chmod 700 assistant
        """, output: #"{"subject":"SUBJECT","method":"GET""#),
    "agent exec work -- ./deploy.sh": Trial(output: "deployed by work with TOKEN\n"),
    "agent exec --var GH_TOKEN=access_token --var EMAIL=claim:email -- ./report": Trial(
      output: "EMAIL reports with TOKEN\n"),
    "agent account set work --host api.example.com; agent request https://api.example.com/me": Trial(
      output: #"{"sub":"SUBJECT""#, message: "agent: changed work\n"),
    "agent request PUT https://api.example.com/notes/1 -H 'Content-Type: application/json' --data @note.json": Trial(
      output: #"{"subject":"SUBJECT","method":"PUT""#),
    "agent helper header --url https://api.example.com/me | curl -H @- https://api.example.com/me": Trial(
      before: listed + "curl() { command curl -sS --fail \"$@\"; }", output: #"{"sub":"SUBJECT""#),
    "agent helper curl --url https://api.example.com/me | curl -K - https://api.example.com/me": Trial(
      before: listed + "curl() { command curl -sS --fail \"$@\"; }", output: #"{"sub":"SUBJECT""#),
    "agent setup git --host git.example.com --yes": Trial(
      before: "agent account set work --host git.example.com -q", after: "git config --global --list",
      output: "credential.https://git.example.com.helper=\ncredential.https://git.example.com.helper=",
      message: "agent: git https://git.example.com is set up: "),
    "agent setup docker --host registry.example.com --print": Trial(
      before: "agent account set work --host registry.example.com -q", output: "{\n  \"credHelpers\": {",
      message: "agent: nothing changed; "),
    "agent setup --undo": Trial(
      before: "agent account set work --host git.example.com -q; agent setup git --yes -q",
      after: "cat .gitconfig 2>/dev/null || echo gone", output: "gone\n",
      message: "agent: removed git https://git.example.com from "),
    "agent doctor": Trial(output: "ok    runtime directory  "),
    "agent doctor work": Trial(output: "ok    runtime directory  "),
    #"agent doctor --json | jq '.findings[] | select(.level != "ok")'"#: Trial(
      before: "export GIT_ASKPASS=true", output: "{\n  \"check\": \""),
    "agent account add work --issuer https://id.example.com --client-id my-cli": Trial(
      after: "agent list", output: "   ACCOUNT  STATE ",
      message: "agent: added work; to sign in: agent login work\n",
      isSignedIn: false),
    "agent account import work --issuer https://id.example.com --client-id my-cli --refresh-token-file token":
      Trial(after: "agent token >token", message: "agent: signed in to ISSUER as ", isSignedIn: false),
    "agent account client-metadata --client-id https://example.com/agent.json > agent.json": Trial(
      after: "head -c 50 agent.json", output: "{\n  \"client_id\": \"https://example.com/agent.json\"",
      isSignedIn: false),
    "agent token --id-token | agent verify --audience my-cli": Trial(
      output: "valid: "),
    "agent verify tokens.txt --jwks keys.json": Trial(
      output: "valid: ES256, key k, issuer https://id.example.com, subject ann, expires in ", isSignedIn: false),
    "agent verify tokens.txt --jwks keys.json --profile id-token --claim sub=ann": Trial(
      output: "valid: ES256, key k, issuer https://id.example.com, subject ann, expires in ", isSignedIn: false),
    "agent helper netrc --url https://api.example.com/me": Trial(before: listed, output: "machine "),
    "agent proof POST https://api.example.com/me": Trial(before: Self.bound, output: "ey"),
    "agent proof --nonce NONCE https://api.example.com/me": Trial(before: Self.bound, output: "ey"),
    "agent events work": Trial(
      before: "exec 3>&1 >events", after: "exec >&3; grep -q work events && echo found", output: "found\n"),
    "agent list": Trial(output: "   ACCOUNT"),
    "agent list --json | jq -r '.accounts[].name'": Trial(output: "work\n"),
    "agent decode tokens.txt": Trial(output: "header\n  ", message: "NOT VERIFIED", isSignedIn: false),
    "agent decode tokens.txt --json | jq -r .claims.sub": Trial(
      output: "ann", message: "NOT VERIFIED", isSignedIn: false),
    "agent token --id-token | agent decode": Trial(output: "header\n  alg  ", message: "NOT VERIFIED"),
    "pass show agent | agent unlock --passphrase-file -": Trial(
      before: """
        pass() { echo 'correct horse'; }
        pass | agent account set work --protect passphrase --passphrase-file - -q; agent lock -q
        """, after: "agent token", output: "FRESH\n", message: "agent: unlocked"),
    "agent logout --local work; agent vault remove-slot 2; agent account set work --protect device; agent login work":
      Trial(
        before: """
          echo 'correct horse' >old; agent account set work --protect passphrase --passphrase-file old -q; agent lock -q
          """, after: "agent status --json | jq -r '.accounts[0].state'", output: "active\n",
        message: "agent: signed in to ISSUER as "),
    "source <(agent completions bash)": Trial(
      shells: ["bash"], after: "complete -p agent", output: "complete -F _agent "),
    "source <(agent completions zsh)": Trial(
      shells: ["zsh"], before: "autoload -U compinit; compinit -D -u", after: "print $_comps[agent]", output: "_agent\n"
    ),
    "agent completions fish | source": Trial(
      shells: ["fish"], after: "complete -C 'agent daemon res'", output: "restart\t"),
    "agent list --json | jq -r '.accounts[] | select(.active).name'": Trial(output: "work\n"),
    #"eval "$(agent env --ask)""#: Trial(after: Self.printsVariables, output: Self.variables),
    "agent whoami --json | jq -r .claims.email": Trial(output: "EMAIL\n"),
    "agent use work": Trial(message: "agent: work is now the active account\n"),
    "agent use work --here": Trial(message: "agent: commands in "),
    "agent use --clear": Trial(before: "agent use work --here -q", message: "agent: /"),
    "agent login work --if-needed || exit": Trial(
      after: "echo on", output: "on\n", message: "agent: already signed in to "),
    "agent logout": Trial(message: "agent: signed out of work, tokens revoked\n"),
    "agent logout --all": Trial(message: "agent: signed out of work, tokens revoked\n"),
    "agent logout work --local": Trial(message: "agent: signed out of work"),
    "agent token work --min-valid 10m": Trial(output: "TOKEN\n"),
    "agent request https://api.example.com/me --output me.json": Trial(
      after: "head -c 7 me.json; echo", output: "{\"sub\":\n"),
    "agent account set work --scope openid": Trial(message: "agent: changed work"),
    "agent account set work --unset scope": Trial(message: "agent: changed work"),
    "agent status": Trial(output: "   ACCOUNT"),
    #"agent status --json | jq -r '.accounts[] | select(.state == "expired").name'"#: Trial(),
    "agent status work --check": Trial(output: "work (active account)"),
    "agent account set work --host api.example.com": Trial(message: "agent: changed work\n"),
    "agent account remove work": Trial(message: "agent: removed work, tokens revoked"),
    "agent vault bind --to host": Trial(message: "agent: bound again: slot "),
    "agent vault rotate-key": Trial(message: "agent: created new keys for "),
    "agent vault set --lock-after 1h": Trial(message: "agent: the vault locks after 1h of inactivity\n"),
    "pass show agent | agent vault add-passphrase --passphrase-file -": Trial(
      before: "pass() { echo 'correct horse'; }", message: "agent: added: slot "),
    "pass show agent | agent vault rebind --passphrase-file -": Trial(
      before: "pass() { echo 'correct horse'; }; pass | agent vault add-passphrase --passphrase-file - -q",
      message: "agent: the vault is now bound to this device\n"),
    "agent vault change-passphrase --passphrase-file old --new-passphrase-file new": Trial(
      before: """
        echo 'correct horse' >old; echo 'battery staple' >new
        agent account set work --protect passphrase --passphrase-file old -q
        """, message: "agent: passphrase changed\n"),
    #"agent daemon log --json | jq '.events[] | select(.event == "unanswered")'"#: Trial(),
    "agent help login": Trial(output: "Sign in to an account.\nUsage: ", isSignedIn: false),
    "agent help --all login": Trial(output: "Sign in to an account.\nUsage: ", isSignedIn: false),
    "token=$(agent token) || exit": Trial(after: "echo \"$token\"", output: "TOKEN\n"),
    "agent --no-daemon token work --min-valid 10m": Trial(before: "agent daemon stop -q", output: "FRESH\n"),
  ]

  // tcsh has its own printenv, which accepts one name.
  /// Makes the account list the origin, for a program that gets its token.
  private static let listed = "agent account set work --host https://api.example.com/me -q\n"
  private static let bound = "agent account set work --dpop -q; agent login work --device 2>/dev/null"
  static let printsVariables = "printenv AGENT_ACCESS_TOKEN; printenv AGENT_ACCOUNT; printenv AGENT_ISSUER"
  static let variables = "TOKEN\nwork\nISSUER\n"

  private static let onTPM = "it takes a TPM; run with one of software by `A client whose key is in the TPM`"

  /// Lines that no test can run, and why.
  static let cannotRun: [String: String] = [
    #"agent events --follow --json | jq --unbuffered -r 'select(.event == "signed_out") | .account'"#:
      "it ends with the daemon",
    "agent serve work --only https://api.example.com/notes --method GET --for 1h": "it goes on until it is ended",
    "agent serve work --confirm": "it goes on until it is ended",
    "agent unlock work": "it asks on a terminal",
    "agent events --notify on": "it takes notify-send",
    "agent serve work --only api.example.com --times 3 --socket ~/lease/agent.sock": "it goes on until it is used",
    "agent exec --lease --only api.example.com/v1 --url-as API_URL --token-as API_KEY work -- ./assistant":
      "it takes a server with that path; run with another by `A lease by HTTP`",
    "agent lease-port -- ./assistant": "it takes the sockets of a lease; run with them by `A lease by HTTP`",
    "agent ssh host.example.com agent login work": "it takes a host; run with another by `A sign-in on a host`",
    "agent ssh -p 2222 jo@host.example.com": "it takes a host",
    "agent ssh --lend work --only api.example.com host.example.com":
      "it takes a host; run with another by `A lease for a host of ssh`",
    "agent login github": "github.com would be asked",
    "agent workload ci --issuer https://id.example.com --client-id ci --assertion-file /var/run/secrets/tokens/agent":
      "a platform would write there; run with other files by `A workload that signs in by assertion`",
    "agent workload ci --issuer https://id.example.com --client-id my-ci --assertion-from github-actions":
      "GitHub would be asked; run with another service by `A workload on a platform`",
    "agent workload robot --issuer https://id.example.com --client-id robot --client-secret-file secret":
      "it takes a client with a secret; another signs in in `A session of a guest`",
    "agent workload robot": "it follows that",
    "openssl genpkey -provider tpm2 -algorithm EC -pkeyopt group:P-256 -out client.key": Self.onTPM,
    "openssl req -new -provider tpm2 -provider default -propquery '?provider=tpm2' -key client.key -subj /CN=my-cli -out client.csr":
      Self.onTPM,
    "agent login work --issuer https://id.example.com --client-id my-cli --client-key-file client.key --client-certificate-file client.pem":
      Self.onTPM,
    "agent account add work --issuer https://id.example.com --key tpm2 --token-endpoint-auth-method self_signed_tls_client_auth":
      Self.onTPM,
    "agent login work --register": Self.onTPM,
    "agent mcp https://mcp.example.com/mcp": "a client starts it and talks to it; its own tests do that",
    "agent mcp https://mcp.example.com/mcp --login ask": "a client starts it and talks to it",
    "agent mcp https://mcp.example.com/mcp --account work": "a client starts it and talks to it",
  ]

  @Test func `is run, or it is said why not`() throws {
    let examples = try Manual().examples()
    #expect(!examples.isEmpty && examples.allSatisfy { $0.purpose.hasSuffix(":") })
    #expect(Set(examples.map(\.line)) == Set(Self.trials.keys).union(Self.cannotRun.keys))
    #expect(Set(Self.trials.keys).isDisjoint(with: Self.cannotRun.keys))
    for example in examples {
      guard let trial = Self.trials[example.line] else { continue }
      let named = ["fish", "zsh", "tcsh"].filter { example.purpose.contains($0) }
      #expect(named.allSatisfy { trial.shells.contains($0) }, "\(example.purpose)")
    }
  }

  @Test(arguments: trials.keys.sorted()) func `works in its shells`(line: String) throws {
    let trial = try #require(Self.trials[line])
    for shell in trial.shells { try Self.run(line, trial, in: shell) }
  }

  /// Runs a line, of the manual or of another text, and checks the result.
  static func run(_ line: String, _ trial: Trial, in shell: String) throws {
    try Issuer.with(["--claim", "email=ann@example.com"]) { issuer in
      try AgentTree.with { tree in
        try makeFiles(tree, issuer)
        if trial.isSignedIn { try tree.signIn(at: issuer.url, "--scope", "openid email offline_access") }
        let token = trial.isSignedIn ? try tree.token() : ""
        let subject = trial.isSignedIn ? try tree.json("whoami")["subject"]?.string : nil
        let script = [adapted(trial.before, to: issuer), adapted(line, to: issuer), trial.after].filter { !$0.isEmpty }
        let result = try tree.shell(shell, script.joined(separator: "\n"))
        #expect(result.succeeded, "\(shell): \(result.errorText)")
        let known = [
          ("ISSUER", issuer.url), ("TOKEN", token), ("EMAIL", "ann@example.com"), ("SUBJECT", subject ?? ""),
          ("FRESH", result.lines.last.map(String.init) ?? ""),
        ]
        let output = known.reduce(trial.output) { $0.replacing($1.0, with: $1.1) }
        let isWhole = output.hasSuffix("\n") || output.isEmpty
        #expect(isWhole ? result.outputText == output : result.outputText.hasPrefix(output), "\(shell)")
        let message = known.reduce(trial.message) { $0.replacing($1.0, with: $1.1) }
        #expect(
          message.isEmpty ? result.errorText.isEmpty : result.errorText.contains(message),
          "\(shell): \(result.errorText)")
        if line.contains("--no-daemon") {
          #expect(try tree.daemons() == [])
          #expect(result.lines.first?.isEmpty == false)
        }
      }
    }
  }

  /// The prerequisites of the examples.
  private static func makeFiles(_ tree: AgentTree, _ issuer: Issuer) throws {
    for (name, script) in [
      ("deploy.sh", "echo \"deployed by $AGENT_ACCOUNT with $AGENT_ACCESS_TOKEN\""),
      ("report", "echo \"$EMAIL reports with $GH_TOKEN\""),
      ("server", "echo \"served with $(cat \"$AGENT_TOKEN_FILE\")\""),
    ] { try tree.directory.writeProgram("home/" + name, script) }
    try tree.directory.write("home/note.json", "{}")
    try tree.directory.write("home/token", try issuer.refreshToken())
    try SignedTokens().write(to: tree, tokens: "home/tokens.txt", keys: "home/keys.json")
  }

  /// The line with the reader's own server and client replaced.
  private static func adapted(_ line: String, to issuer: Issuer) -> String {
    line.replacing("example.org", with: "example.com")
      .replacing("--issuer https://id.example.com", with: "--issuer \(issuer.url) --allow-http-loopback")
      .replacing("--client-id my-cli", with: "--client-id agent-cli")
      .replacing("--audience my-cli", with: "--audience agent-cli")
      .replacing("https://api.example.com/me", with: "\(issuer.url)/userinfo")
      .replacing("--only api.example.com/notes", with: "--only \(issuer.url)/echo")
      .replacing("https://api.example.com/notes/1", with: "\(issuer.url)/echo")
  }

  @Test func `that stops a script does so`() throws {
    try AgentTree.with { tree in
      for shell in ["dash", "bash"] {
        let result = try tree.shell(shell, "token=$(agent token) || exit\necho went on")
        #expect(result.failed(3), "\(shell)")
      }
    }
  }
}
