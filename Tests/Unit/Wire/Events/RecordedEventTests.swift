import Encoding
import Testing
import Vocabulary
import Wire

/// Lines of daemons of version 1. They remain readable, and are written identically.
@Suite struct `A recorded event` {
  static let lines = [
    #"{"v":1,"event":"device_code","login":"0f","account":"work","issuer":"https://as.example","client_id":"cli","#
      + #""scope":"openid","user_code":"WDJB-MJHT","verification_uri":"https://as.example/device","#
      + #""verification_uri_complete":"https://as.example/device?c=1","expires_at":1700000900,"interval":5}"#,
    #"{"v":1,"event":"device_code","login":"0f","account":"work","issuer":"https://as.example","client_id":"cli","#
      + #""user_code":"1","verification_uri":"https://as.example/device","expires_at":1,"interval":5}"#,
    #"{"v":1,"event":"device_code","login":"0f","account":"work","issuer":"https://as.example","client_id":"cli","#
      + #""user_code":"1","verification_uri":"https://as.example/device","expires_at":1,"interval":5,"warning":"w"}"#,
    #"{"v":1,"event":"qr_code","rows":["10","01"]}"#,
    #"{"v":1,"event":"browser","login":"0f","account":"work","issuer":"https://as.example","client_id":"cli","#
      + #""scope":"openid","url":"https://as.example/a?state=s","link_url":"http://127.0.0.1:8400/AA","#
      + #""redirect_uri":"http://127.0.0.1:8400/","must_paste":true,"expires_at":2,"url_expires_at":1}"#,
    #"{"v":1,"event":"browser","login":"0f","account":"work","issuer":"https://as.example","client_id":"cli","#
      + #""url":"https://as.example/a","redirect_uri":"http://[::1]:1/","must_paste":false,"expires_at":1}"#,
    #"{"v":1,"event":"confirm","login":"0f","account":"work","issuer":"https://as.example","subject":"s","name":"n é","#
      + #""expires_at":1}"#,
    #"{"v":1,"event":"confirm","login":"0f","account":"work","issuer":"https://as.example","expires_at":1}"#,
    #"{"v":1,"event":"redirect_refused","code":"redirect_rejected","message":"no"}"#,
    #"{"v":1,"event":"redirect_refused","code":"redirect_rejected","message":"no \"a\"","#
      + #""message_template":"no \"%1$s\"","message_values":["a"],"hint":"agent login work","#
      + #""hint_template":"%1$s","hint_values":[{"command":"agent login work","add":[],"remove":[]}]}"#,
    #"{"v":1,"event":"notice","message":"plain"}"#,
    #"{"v":1,"event":"notice","message":"a work","message_template":"a %1$s","message_values":["work"]}"#,
    #"{"v":1,"event":"response","status":404,"headers":[["A","b"],["A",""]]}"#,
    #"{"v":1,"event":"response","status":200,"headers":[]}"#,
    #"{"v":1,"event":"body","base64":"YQ=="}"#,
    #"{"v":1,"event":"body","base64":""}"#,
    #"{"v":1,"event":"body_wanted"}"#,
    #"{"v":1,"event":"progress"}"#,
    #"{"v":1,"event":"progress","entry":{"time":1,"event":"started"}}"#,
    #"{"v":1,"event":"progress","entry":{"time":1,"account":"work","event":"answered","endpoint":"token","#
      + #""method":"POST","url":"https://as.example/token","status":200,"duration_ms":34}}"#,
    #"{"v":1,"event":"following"}"#,
    #"{"v":1,"event":"session"}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"signed_in","account":"work"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"signed_in","account":"work","expires_at":7}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"signed_in","account":"work","guest":true}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"signed_in","account":"work","expires_at":7,"#
      + #""upgraded_from_guest":true}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"signed_out","account":"work","cause":"user"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"signed_out","account":"work","cause":"expired","#
      + #""reason":"the grant has ended"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"refreshed","account":"work","expires_at":7}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"refresh_failed","account":"work","code":"client_rejected"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"refresh_failed","account":"work","code":"network","#
      + #""host":"id.example:8443","cause":"timed_out"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"expiring","account":"work","expires_at":7,"renewable":false}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"expired","account":"work","expires_at":7,"renewable":true}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"session_expiring","account":"work","expires_at":7}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"offline","account":"work","code":"network","#
      + #""host":"id.example:8443","cause":"timed_out"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"online","account":"work"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"locked"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"locked","account":"work"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"unlocked","account":"work"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"account_added","account":"work"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"account_removed","account":"work"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"account_renamed","account":"work","renamed_from":"old"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"active_changed"}}"#,
    #"{"v":1,"event":"session","entry":{"time":1,"event":"active_changed","account":"work"}}"#,
    #"{"v":1,"event":"lease_entry"}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_opened","lease":"0f","account":"work"}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_used","lease":"0f","method":"GET","#
      + #""origin":"https://api.example","status":200,"body_bytes":7,"dropped_headers":2,"pid":0,"uid":1000}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_used","lease":"0f","method":"GET","#
      + #""origin":"https://api.example","code":"network"}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_token","lease":"0f","pid":9,"uid":1000}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_token","lease":"0f","code":"not_permitted"}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_refused","lease":"0f","code":"not_permitted"}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_ended","lease":"0f","cause":"time"}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_opened","lease":"0f","account":"work","pid":1,"uid":2}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_refused","lease":"0f","code":"not_permitted","pid":1,"uid":2}}"#,
    #"{"v":1,"event":"lease_entry","entry":{"time":1,"event":"lease_ended","lease":"0f","cause":"time","pid":1,"uid":2}}"#,
    #"{"v":1,"event":"token_file","account":"work","path":"/run/t","state":"written"}"#,
    #"{"v":1,"event":"token_file","account":"work","path":"/run/t","state":"written","expires_at":9}"#,
    #"{"v":1,"event":"token_file","account":"work","path":"/run/t","state":"removed","code":"signed_out"}"#,
    #"{"v":1,"event":"lease","lease":"0123456789abcdef","account":"work"}"#,
    #"{"v":1,"event":"lease","lease":"0123456789abcdef","account":"work","uses_left":0}"#,
    #"{"v":1,"event":"lease_question","question":1,"method":"token"}"#,
    #"{"v":1,"event":"lease_question","question":1,"method":"GET","origin":"https://api.example","pid":0,"uid":1000}"#,
  ]

  @Test(arguments: lines) func `is read, and written as it was`(line: String) throws {
    let bytes = Array(line.utf8)
    let reply = try Reply(parsing: bytes.span)
    #expect(String(decoding: reply.serialized(), as: UTF8.self) == line + "\n")
  }

  @Test(arguments: lines) func `is refused, or read without a member of another type`(line: String) throws {
    for changed in try changingEachMember(of: line) {
      let reply = try? Reply(parsing: Array(changed.utf8).span)
      #expect(reply.map { String(decoding: $0.serialized(), as: UTF8.self) } != line + "\n", "\(changed)")
    }
  }

  @Test func `exists for each event and each member`() throws {
    var recorded: [String: Set<String>] = [:]
    func record(_ object: JSONObject) throws {
      recorded[try #require(object["event"]?.string), default: []].formUnion(object.names)
    }
    for line in Self.lines {
      let object = try #require(try JSON(parsing: Array(line.utf8)).object)
      try record(object)
      if object["event"] != "progress", let entry = object["entry"]?.object { try record(entry) }
    }
    let entries =
      SessionEventName.allCases.map {
        ($0.rawValue, SessionEntry(time: 0, account: nil, event: SessionEvent($0)).memberDescriptions)
      }
      + LeaseEntry.Kind.allCases.map { ($0.rawValue, LeaseEntry($0).memberDescriptions) }
    for (name, rows) in Event.declarations.map({ ($0.manualEntry.name, $0.memberDescriptions) }) + entries {
      let names: Set<String> = try #require(recorded[name], "\(name)")
      recorded[name] = nil
      for row in rows { #expect(names.contains(row.name), "\(name): \(row.name)") }
    }
    #expect(recorded.isEmpty, "\(recorded.keys)")
  }
}
