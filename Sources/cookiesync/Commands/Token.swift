// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncService
internal import CookieSyncWire
internal import JarStorage

/// Makes tokens, each into a file of its own that only its owner can read; none is ever printed.
///
/// Without arguments it makes the admin token, in the file that `admin-token-file` names. With a tenant, a name, scopes
/// and a file it asks the running service for a token of that tenant, making the tenant if there is none.
enum Token {
    private static let seconds = 10

    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        let words = arguments.prefix { !$0.hasPrefix("--") }
        let settings = try SettingsReader.read(
            arguments: arguments.dropFirst(words.count), environment: Environment.all)
        Hardening.apply()
        guard let adminFile = settings.text(.adminTokenFile) else {
            throw Failure(.usage, "token needs the setting \(Setting.adminTokenFile.name)")
        }
        switch words.count {
        case 0:
            try write(SecretBytes(AdminTokenText.random()), to: adminFile)
            print("the admin token is in \(adminFile)")
        case 4:
            try mint(Array(words), settings, try AdminToken.read(path: adminFile))
        default:
            throw Failure(
                .usage,
                "token takes nothing, or TENANT NAME SCOPES FILE, as in: acme worker read,values f")
        }
    }

    private static func mint(
        _ words: [String], _ settings: Settings, _ admin: [UInt8]
    ) throws(Failure) {
        guard let tenant = TenantID(words[0].utf8) else { throw Failure(.usage, TenantID.rule) }
        let service = LocalService(settings, seconds: seconds)
        let path = "/v1/tenants/\(tenant)"
        let made = try service.ask("PUT", path, token: admin)
        guard made.status == 200 || made.status == 201 else { throw refusal(made) }
        let answer = try service.ask(
            "POST", "\(path)/tokens", token: admin, json: request(words[1], words[2]))
        guard answer.status == 201, let id = member("id", of: answer),
            let token = member("token", of: answer)
        else { throw refusal(answer) }
        do {
            try write(SecretBytes(token), to: words[3])
        } catch {
            // A token that nobody has must not stay valid.
            _ = try service.ask(
                "DELETE", "\(path)/tokens/\(String(decoding: id, as: UTF8.self))", token: admin)
            throw error
        }
        print("the token \(String(decoding: id, as: UTF8.self)) is in \(words[3])")
    }

    private static func request(_ name: String, _ scopes: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("name")
        writer.string(name)
        writer.name("scopes")
        writer.beginArray()
        for scope in scopes.split(separator: ",") { writer.string(String(scope)) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func member(_ name: String, of answer: LocalService.Answer) -> [UInt8]? {
        let members = try? JSONDocument(parsing: answer.body).root.members()
        return try? members?.first { $0.name == Array(name.utf8) }?.value.string()
    }

    private static func refusal(_ answer: LocalService.Answer) -> Failure {
        let detail = member("detail", of: answer).map { String(decoding: $0, as: UTF8.self) }
        return Failure(
            .unavailable, "the service answered with status \(answer.status): \(detail ?? "")")
    }

    private static func write(_ token: SecretBytes, to path: String) throws(Failure) {
        do {
            try File.create(path, token.bytes + [UInt8(ascii: "\n")])
        } catch {
            throw Failure(.configuration, "\(path): \(error.message)")
        }
    }
}
