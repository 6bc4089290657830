// SPDX-License-Identifier: Apache-2.0
import Telemetry
import Testing

@testable import HTTPServer

@Suite("The server's configuration")
struct ServerConfigurationTests {
    private func error(_ change: (inout ServerConfiguration) -> Void) -> String? {
        var configuration = ServerConfiguration()
        change(&configuration)
        do throws(ConfigurationError) {
            try configuration.validated()
            return nil
        } catch {
            return error.description
        }
    }

    @Test("the defaults are valid")
    func defaults() { #expect(error { _ in } == nil) }

    @Test("what is out of range is named")
    func names() {
        #expect(
            error { $0.limits.requestLineBytes = 1 << 20 }
                == "limits.requestLineBytes is 1048576, must be 1024 to 16384")
        #expect(error { $0.timeouts.header = 0 }?.hasPrefix("timeouts.header is 0") == true)
        #expect(error { $0.loops = -1 }?.hasPrefix("loops is -1") == true)
        #expect(error { $0.compressionLevel = 10 }?.hasPrefix("compressionLevel") == true)
        #expect(
            error { $0.defaultFields = [("X", "a\r\nb")] } == "defaultFields holds an invalid field"
        )
        #expect(error { $0.defaultFields = [("Date", "now")] } != nil)
    }

    @Test("a server does not start with what it cannot use")
    func refusesToStart() {
        func failure(_ change: (inout ServerConfiguration) -> Void) -> ServerStartError? {
            do {
                _ = try TestServer(EchoHandler(), change)
                return nil
            } catch { return error as? ServerStartError }
        }
        #expect(failure { $0.host = "no-address" } == .invalidHost("no-address"))
        if case .system(let call, _) = failure({ $0.host = "203.0.113.1" }) {
            #expect(call == "bind")
        } else {
            Issue.record("bound an address of somebody else")
        }
        #expect(failure { $0.backlog = 0 } != nil)
    }

    @Test("a server starts once")
    func startsOnce() throws {
        let server = try TestServer(EchoHandler())
        #expect(throws: ServerStartError.alreadyStarted) { try server.server.start() }
        server.stop()
        #expect(throws: ServerStartError.alreadyStarted) { try server.server.start() }
    }
}
