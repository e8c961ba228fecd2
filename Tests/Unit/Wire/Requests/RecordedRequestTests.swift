import Encoding
import Testing
import Wire

/// Lines of clients of version 1. They remain readable, and are written identically.
@Suite struct `A recorded request` {
  static let lines = [
    #"{"v":1,"request":"token"}"#,
    #"{"v":1,"request":"token","directory":""}"#,
    #"{"v":1,"request":"token","timeout":5,"verbose":true,"directory":"/home/jo/work"}"#,
    #"{"v":1,"request":"token","account":"work","min_valid":60,"timeout":5,"verbose":true}"#,
    #"{"v":1,"request":"token","account":"work","min_valid":0,"wait":3600,"force_refresh":true,"scope":["a","b"],"#
      + #""resource":["https://api.example/"],"audience":"backend","authorization_details":"[]","exchange":true,"#
      + #""url":"https://api.example/","user":"jo","use":"id_token","refused":true,"id_token":true,"claims":true,"#
      + #""variables":true,"timeout":3600}"#,
    #"{"v":1,"request":"forget","url":"https://api.example"}"#,
    #"{"v":1,"request":"forget","account":"work","url":"api.example:8443/path"}"#,
    #"{"v":1,"request":"assume_role","account":"work","url":"https://sts.example","role_arn":"arn:aws:iam::1:role/x","#
      + #""role_session_name":"agent","duration":900}"#,
    #"{"v":1,"request":"proof","account":"work","method":"GET","url":"https://api.example","nonce":"n","#
      + #""access_token":true}"#,
    #"{"v":1,"request":"variables","names":["CI_JWT","TOKEN_URL"]}"#,
    #"{"v":1,"request":"screen_environment"}"#,
    #"{"v":1,"request":"login"}"#,
    #"{"v":1,"request":"login","account":"work","issuer":"https://as.example/tenant","client_id":"cli \"q\" \\ é","#
      + #""scope":["openid"],"keep":true,"client_secret_descriptor":true,"client_key_descriptor":true,"#
      + #""client_certificate_descriptor":true,"initial_access_token_descriptor":true,"assertion_descriptor":true,"#
      + #""register":true,"guest":true,"offline_access":true,"announced_pkce":true,"proof_algorithms":["PS256"],"#
      + #""qr_code":true,"pages":{"language":"ar","right_to_left":true,"texts":{"Signed in":"تم"}},"#
      + #""flow":"device","can_open_browser":true,"redirect_port":8400,"unless":"signed_in","use":true,"ephemeral":true,"#
      + #""no_keep":true,"start":true,"prompt":"login","login_hint":"jo","acr_values":["mfa"],"max_age":0,"#
      + #""claims_challenge":"{}"}"#,
    #"{"v":1,"request":"login_redirect","login":"0f","url":"http://127.0.0.1/?state=s"}"#,
    #"{"v":1,"request":"login_confirm","login":"0f"}"#,
    #"{"v":1,"request":"login_confirm","login":"0f","confirmed":true}"#,
    #"{"v":1,"request":"login_resume","login":"0f"}"#,
    #"{"v":1,"request":"login_resume","login":"0f","report":true}"#,
    #"{"v":1,"request":"discover","url":"https://api.example/","account":"work","only_for_new_account":true,"#
      + #""ca_file":"/ca.pem","allow_http_loopback":true,"proxy":"http://proxy.example:3128","no_proxy":"localhost"}"#,
    #"{"v":1,"request":"logout","account":"work","local":true}"#,
    #"{"v":1,"request":"logout","all":true,"browser":true}"#,
    #"{"v":1,"request":"status"}"#,
    #"{"v":1,"request":"status","account":"work","check":true}"#,
    #"{"v":1,"request":"doctor","account":"work"}"#,
    #"{"v":1,"request":"list"}"#,
    #"{"v":1,"request":"use","account":"work"}"#,
    #"{"v":1,"request":"use_directory","account":"work","path":"/home/jo/work"}"#,
    #"{"v":1,"request":"use_directory","path":"/home/jo/work"}"#,
    #"{"v":1,"request":"notify","program":"/usr/bin/agent"}"#,
    #"{"v":1,"request":"notify"}"#,
    #"{"v":1,"request":"whoami","account":"work","verified":true}"#,
    #"{"v":1,"request":"resource","account":"work","url":"https://api.example/x","method":"PUT","#
      + #""headers":["Accept: */*"],"body_descriptor":true,"wait":1,"no_redirects":true,"idle":0,"scope":["a"],"#
      + #""resource":["https://api.example/"],"audience":"x","authorization_details":"[]","exchange":true}"#,
    #"{"v":1,"request":"resource","url":"https://api.example/x","method":"POST","inline":true,"body":"YQ=="}"#,
    #"{"v":1,"request":"resource","url":"https://api.example/x","method":"POST","inline":true,"body_lines":true}"#,
    #"{"v":1,"request":"resource_body","base64":"YQ=="}"#,
    #"{"v":1,"request":"resource_body","end":true}"#,
    #"{"v":1,"request":"verify","account":"work"}"#,
    #"{"v":1,"request":"verify","issuer":"https://as.example","ca_file":"/ca.pem","allow_http_loopback":true,"#
      + #""proxy":"http://proxy.example:3128","no_proxy":"localhost","jwks_descriptor":true,"#
      + #""audience":["a","b"],"algorithms":["ES256"],"type":"at+jwt","profile":"id-token","require":["sub"],"#
      + #""allow_missing":true,"claims":["a=b"],"signature_only":true,"clock_skew":300,"brief":true}"#,
    #"{"v":1,"request":"account_add","account":"work","issuer":"https://as.example","client_id":"cli"}"#,
    #"{"v":1,"request":"account_show"}"#,
    #"{"v":1,"request":"account_show","account":"work"}"#,
    #"{"v":1,"request":"account_set","account":"work","scope":["a"],"refresh":"strict","unset":["pins","dpop"]}"#,
    #"{"v":1,"request":"account_rename","account":"work","new_name":"home"}"#,
    #"{"v":1,"request":"account_remove","account":"work","local":true}"#,
    #"{"v":1,"request":"account_import","account":"work","issuer":"https://as.example","client_id":"cli","#
      + #""client_secret_descriptor":true,"client_key_descriptor":true,"client_certificate_descriptor":true}"#,
    #"{"v":1,"request":"account_client_metadata","account":"work","dpop":true,"#
      + #""client_secret_descriptor":true,"client_key_descriptor":true,"client_certificate_descriptor":true}"#,
    #"{"v":1,"request":"lock"}"#,
    #"{"v":1,"request":"unlock","protection":"passphrase"}"#,
    #"{"v":1,"request":"vault_status"}"#,
    #"{"v":1,"request":"vault_create","protection":"tpm2"}"#,
    #"{"v":1,"request":"vault_bind"}"#,
    #"{"v":1,"request":"vault_bind","binding":"host"}"#,
    #"{"v":1,"request":"vault_add_passphrase","protection":"device"}"#,
    #"{"v":1,"request":"vault_change_passphrase","protection":"passphrase"}"#,
    #"{"v":1,"request":"vault_remove_slot","slot":255}"#,
    #"{"v":1,"request":"vault_rotate_key","slots":[1,2]}"#,
    #"{"v":1,"request":"vault_rebind"}"#,
    #"{"v":1,"request":"vault_set_aside"}"#,
    #"{"v":1,"request":"vault_check"}"#,
    #"{"v":1,"request":"vault_set","lock_after":0}"#,
    #"{"v":1,"request":"events","account":"work","follow":true,"leases":true}"#,
    #"{"v":1,"request":"token_file","account":"work","name":"token-00112233445566778899aabbccddeeff","use":"id_token"}"#,
    #"{"v":1,"request":"lease","account":"work","places":["api.example"],"methods":["GET"],"headers":["X-A"],"scope":["a"],"#
      + #""resource":["https://api.example/"],"audience":"x","authorization_details":"[]","exchange":true,"uses":1,"#
      + #""expires_in":604800,"hand_out_token":true,"confirm":true,"users":[0,1000]}"#,
    #"{"v":1,"request":"lease_answer","question":1,"allow":true}"#,
    #"{"v":1,"request":"lease_peer","uid":1000,"pid":17,"refused":"not_permitted"}"#,
    #"{"v":1,"request":"lease_http","origin":"https://api.example.com","base":"http://127.0.0.1:8080","token":"0f"}"#,
    #"{"v":1,"request":"lease_status"}"#,
    #"{"v":1,"request":"daemon_status"}"#,
    #"{"v":1,"request":"daemon_log"}"#,
    #"{"v":1,"request":"daemon_stop"}"#, #"{"v":1,"request":"daemon_stop","restarts":true}"#,
  ]

  @Test(arguments: lines) func `is read, and written as it was`(line: String) throws {
    let envelope = try RequestEnvelope(parsing: Array(line.utf8).span)
    #expect(String(decoding: envelope.serialized(), as: UTF8.self) == line + "\n")
  }

  @Test(arguments: lines) func `is refused if a member has another type`(line: String) throws {
    for changed in try changingEachMember(of: line) {
      #expect(throws: Failure.self, "\(changed)") { try RequestEnvelope(parsing: Array(changed.utf8).span) }
    }
  }

  static let numbers: [(request: String, member: String, range: ClosedRange<Int>)] = [
    ("token", "min_valid", 0...86_400), ("token", "wait", 1...3600), ("token", "timeout", 1...3600),
    ("assume_role", "duration", 900...43_200), ("login", "max_age", 0...31_536_000), ("resource", "wait", 1...3600),
    ("resource", "idle", 0...86_400), ("verify", "clock_skew", 0...300), ("vault_remove_slot", "slot", 1...255),
    ("vault_set", "lock_after", 0...2_592_000), ("lease", "uses", 1...1_000_000), ("lease", "expires_in", 1...604_800),
    ("lease_peer", "uid", 0...4_294_967_294), ("lease_peer", "pid", 0...2_147_483_647),
    ("lease_answer", "question", 1...Int.max),
  ]

  @Test(arguments: numbers) func `has numbers within these limits`(
    request: String, member: String, range: ClosedRange<Int>
  ) throws {
    let recorded = try Self.lines.compactMap { try JSON(parsing: Array($0.utf8)).object }
    var object = try #require(recorded.first { $0["request"]?.string == request && $0[member] != nil })
    func isAccepted(_ number: Int) -> Bool {
      object[member] = .int(number)
      let bytes = JSON.object(object).serialized()
      return (try? RequestEnvelope(parsing: bytes.span)) != nil
    }
    #expect(isAccepted(range.lowerBound) && !isAccepted(range.lowerBound - 1))
    #expect(isAccepted(range.upperBound) && (range.upperBound == .max || !isAccepted(range.upperBound + 1)))
  }

  @Test func `exists for each request and each member`() throws {
    var recorded: [String: Set<String>] = [:]
    for line in Self.lines {
      let object = try #require(try JSON(parsing: Array(line.utf8)).object)
      recorded[try #require(object["request"]?.string), default: []].formUnion(object.names)
    }
    for request in Request.declarations {
      let names = try #require(recorded[request.properties.name], "\(request.properties.name)")
      for case .member(let row) in request.memberEntries {
        #expect(names.contains(row.name), "\(request.properties.name): \(row.name)")
      }
    }
    #expect(recorded.count == Request.declarations.count)
  }
}

/// The lines with one member replaced by an empty object, or an object by a number. Also replaces members of an entry, but
/// no `false`, which an absent member means, too.
func changingEachMember(of line: String) throws -> [String] {
  func changing(_ object: JSONObject) -> [JSONObject] {
    object.names.flatMap { name -> [JSONObject] in
      guard let value = object[name], value != false else { return [] }
      let inner = name == "entry" ? changing(value.object ?? JSONObject()).map(JSON.object) : []
      return (inner + [value.object == nil ? [:] : 7]).map { replacement in
        var changed = object
        changed[name] = replacement
        return changed
      }
    }
  }
  let object = try #require(try JSON(parsing: Array(line.utf8)).object)
  return changing(object).map { String(decoding: JSON.object($0).serialized(), as: UTF8.self) }
}
