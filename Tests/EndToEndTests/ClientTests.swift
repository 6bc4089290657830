// SPDX-License-Identifier: Apache-2.0

import CookieSyncClient
import CookieSyncSocketTransport
import CookieSyncURLSession
import CookieSyncWire
import Glibc
import TestSupport
import Testing

/// What carries the requests of a test.
enum Carrier: CaseIterable {
    case socket, session

    var transport: any Transport {
        switch self {
        case .socket: SocketTransport()
        case .session: URLSessionTransport()
        }
    }
}

@Suite("The client library, over the real service")
struct ClientTests {
    private let directory: TemporaryDirectory
    private let service: Service
    private static let page = "https://www.example.com/account"

    init() throws {
        directory = try TemporaryDirectory()
        service = try Service(data: "\(directory.path)/data")
    }

    private func jar(_ carrier: Carrier, retry: RetryPolicy = RetryPolicy()) throws -> JarClient {
        CookieSyncClient(
            server: try #require(ServerAddress("http://127.0.0.1:\(service.port)")),
            transport: carrier.transport, retry: retry
        ).jar("alice", of: "acme")
    }

    @Test(
        "hands responses over, and gets the header of the next request", arguments: Carrier.allCases
    )
    func login(carrier: Carrier) async throws {
        let store = try jar(carrier).store("native")
        let folded =
            "sid=1; Path=/; HttpOnly, lang=en; Expires=Tue, 01 Dec 2099 12:00:00 GMT; Path=/"
        let answer = try await store.handleResponse(
            from: "https://www.example.com/login", headers: ["set-cookie": folded, "X": "1"])
        #expect(answer.results.map(\.outcome) == ["stored", "stored"])
        #expect(answer.folding?.isFolded == true)
        let head = Array("HTTP/1.1 200 OK\r\nSet-Cookie: raw=\u{e9}; Path=/\r\n\r\nbody".utf8)
        #expect(
            try await store.handleResponse(from: "https://www.example.com/", head: head).results
                .first?.cookie?.value?.bytes == Array("\u{e9}".utf8))
        let header = try await store.cookieHeader(for: Self.page)
        #expect(header.cookie.bytes == Array("sid=1; lang=en; raw=\u{e9}".utf8))
        #expect(header.count == 3)
        #expect(try await store.cookies(for: Self.page).cookies.count == 3)
        #expect(try await store.deleteCookies(for: Self.page).deleted == 3)
        #expect(try await store.cookieHeader(for: Self.page).count == 0)
    }

    @Test("syncs stores, and follows what happens", arguments: Carrier.allCases)
    func sync(carrier: Carrier) async throws {
        let jar = try jar(carrier)
        try await jar.store("native").handleResponse(
            from: Self.page, headers: ["Set-Cookie": "sid=1; Path=/"])
        #expect(try await jar.sync(from: "native", to: "webview").added == 1)
        #expect(try await jar.store("webview").cookieHeader(for: Self.page).count == 1)
        let page = try await jar.changes(since: 0)
        #expect(page.changes.map(\.kind) == ["added", "added"])
        #expect(try await jar.changes(since: page.revision, in: "native").changes.isEmpty)
    }

    @Test("hears of a change as soon as it is made", arguments: Carrier.allCases)
    func follow(carrier: Carrier) async throws {
        let jar = try jar(carrier)
        let (pages, heard) = AsyncStream<ChangePageBody>.makeStream()
        let follower = Task {
            for try await page in jar.follow(since: 0, in: "native") { heard.yield(page) }
        }
        var next = pages.makeAsyncIterator()
        for revision: UInt64 in 1...3 {
            try await jar.store("native").handleResponse(
                from: Self.page, headers: ["Set-Cookie": "sid=\(revision); Path=/"])
            let page = try #require(await next.next())
            #expect(page.changes.map(\.revision) == [revision])
        }
        follower.cancel()
        try await follower.value
    }

    @Test("stops waiting when its task is cancelled", arguments: Carrier.allCases)
    func cancellation(carrier: Carrier) async throws {
        let jar = try jar(carrier)
        let pages = Task {
            var count = 0
            for try await _ in jar.follow(since: 0) { count += 1 }
            return count
        }
        pages.cancel()
        #expect(try await pages.value == 0)
    }

    @Test("gets what a web view needs", arguments: Carrier.allCases)
    func webView(carrier: Carrier) async throws {
        let store = try jar(carrier).store("webview")
        try await store.handleResponse(
            from: Self.page, headers: ["Set-Cookie": "sid=1; Path=/; HttpOnly, lang=en; Path=/"])
        let script = try await store.documentCookieScript(for: Self.page)
        #expect(
            String(decoding: script.bytes, as: UTF8.self).contains(#"document.cookie = "lang=en"#))
        let plan = try await store.webViewPlan(for: [Self.page, "https://shop.example.com/"])
        #expect(plan.native.map(\.reason) == [.httpOnly])
        #expect(plan.requests.map(\.count) == [2, 0])
        #expect(plan.script.bytes.starts(with: script.bytes))
    }

    @Test("imports and exports files", arguments: Carrier.allCases)
    func files(carrier: Carrier) async throws {
        let jar = try jar(carrier)
        let row = "www.example.com\tFALSE\t/\tFALSE\t0\t"
        let file = Array("# Netscape HTTP Cookie File\n\(row)a\t1\n\(row)b\t2\nrubbish\n".utf8)
        let report = try await jar.store("native").importFile(file)
        #expect(report.format == "netscape")
        #expect([report.stored, report.rejected] == [2, 1])
        #expect(report.entries.last?.position == "4")
        #expect(report.entries.last?.reason == "malformed-entry")
        let exported = try await jar.store("native").exportFile(format: "netscape")
        #expect(exported.lostAttributes == ["created_at"])
        let copy = try await jar.store("copy").importFile(
            exported.content.bytes, FileReading(format: "netscape"))
        #expect(copy.stored == 2)
        let lines = try await jar.store("native").exportFile(format: "set-cookie", url: Self.page)
        var reading = FileReading()
        reading.url = Self.page
        #expect(try await jar.store("third").importFile(lines.content.bytes, reading).stored == 2)
    }

    @Test("says in the service's words what it refuses", arguments: Carrier.allCases)
    func refusal(carrier: Carrier) async throws {
        let store = try jar(carrier).store("not a name")
        do throws(ClientError) {
            _ = try await store.cookieHeader(for: Self.page)
            Issue.record("no error")
        } catch {
            #expect(error.code == .refused)
            #expect(error.status == 422)
            #expect(error.problem?.errors.first?.pointer == "/path/store")
        }
    }

    @Test("fails where nothing answers, and soon", arguments: Carrier.allCases)
    func nobody(carrier: Carrier) async throws {
        let client = CookieSyncClient(
            server: try #require(ServerAddress("http://127.0.0.1:9")),
            transport: carrier.transport, retry: .never)
        do throws(ClientError) {
            _ = try await client.jar("alice", of: "acme").store("native").deleteAllCookies()
            Issue.record("no error")
        } catch {
            #expect(error.code == .transport)
        }
    }

    @Test("the service's binary links no Foundation")
    func linkage() throws {
        for library in ["libFoundation", "FoundationNetworking", "FoundationICU"] {
            #expect(!(try holds(ChildProcess.binary, library)), "\(library)")
        }
        // The search would find it: this very process links it.
        #expect(try holds("/proc/self/exe", "libFoundationNetworking"))
    }

    /// Whether a file has a text somewhere in it.
    private func holds(_ path: String, _ text: String) throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        let size = Int(status.st_size)
        let map = try #require(mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0))
        defer { munmap(map, size) }
        var rest = UnsafeRawBufferPointer(start: map, count: size)
        while let start = rest.baseAddress, rest.count >= text.utf8.count,
            let found = memchr(start, Int32(text.utf8.first ?? 0), rest.count - text.utf8.count + 1)
        {
            if memcmp(found, text, text.utf8.count) == 0 { return true }
            let next = start.distance(to: UnsafeRawPointer(found)) + 1
            rest = UnsafeRawBufferPointer(rebasing: rest[next...])
        }
        return false
    }
}

@Suite("The example of docs/clients.md")
struct DocumentedClientTests {
    @Test("runs, and is what stands there")
    func example() async throws {
        let directory = try TemporaryDirectory()
        let service = try Service(data: "\(directory.path)/data")
        let server = try #require(ServerAddress("http://127.0.0.1:\(service.port)"))
        let token = ClientToken("not-needed-here")
        let headers = ["Set-Cookie": "sid=1; Path=/"]
        // docs/clients.md begins here
        let client = CookieSyncClient(server: server, token: token, transport: SocketTransport())
        let jar = client.jar("alice", of: "acme")
        let native = jar.store("native")
        let page = "https://www.example.com/account"

        // After every response, with all of its header fields:
        try await native.handleResponse(from: "https://www.example.com/login", headers: headers)
        // Before every request:
        let header = try await native.cookieHeader(for: page)
        // The web view gets the same session:
        try await jar.sync(from: "native", to: "webview")
        let plan = try await jar.store("webview").webViewPlan(for: [page])
        // Logged out:
        try await native.deleteCookies(for: page)
        // docs/clients.md ends here
        #expect(header.cookie.bytes == Array("sid=1".utf8))
        #expect(plan.requests.first?.cookie == header.cookie)
        let code = try lines(of: #filePath).drop { $0 != "// docs/clients.md begins here" }
            .dropFirst().prefix { $0 != "// docs/clients.md ends here" }
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let document = try lines(of: "\(root)/docs/clients.md")
        let shown = document.drop { $0 != "```swift" }.dropFirst().prefix { $0 != "```" }
        #expect(Array(code) == Array(shown))
    }

    /// The lines of a file without the blanks before them.
    private func lines(of path: String) throws -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        return try LineReader(descriptor: descriptor).readToEnd(seconds: 5)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.drop { $0 == " " }) }
    }
}
