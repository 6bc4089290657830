// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import Testing

@Suite("Redirects")
struct RedirectTests {
    private static func redirect(
        _ location: String?..., status: Int = 302, method: String = "GET",
        from url: String = "https://www.example.com/a/b?c#d",
        context: SameSiteContext = .strict, count: Int = 0
    ) throws -> Redirect {
        Redirect(
            after: RedirectResponse(
                url: try RequestURL(parsing: Array(url.utf8), names: IDNA()),
                method: Array(method.utf8), sameSiteContext: context, status: status,
                locations: location.compactMap { $0.map { Array($0.utf8) } }, redirectCount: count),
            rules: try World.rules())
    }

    private static func next(_ redirect: Redirect) throws -> NextRequest {
        guard case .follow(let next) = redirect else {
            throw CookieURLError.malformed
        }
        return next
    }

    @Test(
        "method and body",
        arguments: [
            (301, "GET", "GET", true), (301, "POST", "GET", false), (301, "PUT", "PUT", true),
            (301, "HEAD", "HEAD", true), (302, "POST", "GET", false),
            (302, "DELETE", "DELETE", true), (303, "POST", "GET", false),
            (303, "PUT", "GET", false), (303, "HEAD", "HEAD", true), (303, "GET", "GET", true),
            (307, "POST", "POST", true), (308, "POST", "POST", true), (308, "GET", "GET", true),
            (302, "post", "post", true),
        ])
    func methods(status: Int, method: String, expected: String, keepsBody: Bool) throws {
        let next = try Self.next(Self.redirect("/x", status: status, method: method))
        #expect(next.method == Array(expected.utf8))
        #expect(next.keepsBody == keepsBody)
        #expect(next.removedFields.contains("Content-Type") != keepsBody)
        #expect(next.removedFields.contains("Content-Length") != keepsBody)
        #expect(next.removedFields.contains("Transfer-Encoding") != keepsBody)
        #expect(next.removedFields.starts(with: ["Cookie", "Host"]))
    }

    @Test("other statuses, and a status without a target, are the answer")
    func none() throws {
        for status in [200, 201, 300, 304, 305, 306, 309, 404, 500] {
            guard case .none = try Self.redirect("/x", status: status) else {
                Issue.record("\(status)")
                continue
            }
        }
        guard case .none = try Self.redirect(nil) else {
            Issue.record("no Location")
            return
        }
    }

    @Test(
        "credentials go with a change of the origin",
        arguments: [
            ("/x", false), ("https://www.example.com:443/", false), ("//www.example.com/", false),
            ("https://www.example.com:8443/", true), ("http://www.example.com/", true),
            ("https://example.com/", true),
        ])
    func credentials(location: String, isDropped: Bool) throws {
        let next = try Self.next(Self.redirect(location))
        #expect(next.removedFields.contains("Authorization") == isDropped)
        #expect(next.removedFields.contains("Proxy-Authorization") == isDropped)
    }

    @Test("the fragment is inherited, unless the target has one")
    func fragments() throws {
        for (location, expected) in [
            ("/x", "https://www.example.com/x#d"), ("/x#", "https://www.example.com/x#"),
            ("/x#y", "https://www.example.com/x#y"), ("", "https://www.example.com/a/b?c#d"),
        ] {
            #expect(try Self.next(Self.redirect(location)).url.text == Array(expected.utf8))
        }
    }

    @Test(
        "the context of the next request",
        arguments: [
            (.strict, "/x", "GET", .strict), (.strict, "//api.example.com/", "GET", .strict),
            (.strict, "http://www.example.com/", "GET", .lax),
            (.strict, "//www.example.org/", "GET", .lax),
            (.strict, "//www.example.org/", "POST", .laxUnsafe),
            (.lax, "/x", "GET", .lax), (.lax, "/x", "POST", .laxUnsafe),
            (.laxUnsafe, "/x", "GET", .lax), (.laxUnsafe, "/x", "PUT", .laxUnsafe),
            (.crossSite, "/x", "GET", .crossSite),
            (.crossSite, "//www.example.org/", "GET", .crossSite),
        ] as [(SameSiteContext, String, String, SameSiteContext)])
    func contexts(
        context: SameSiteContext, location: String, method: String, expected: SameSiteContext
    ) throws {
        let next = try Self.next(
            Self.redirect(location, status: 307, method: method, context: context))
        #expect(next.sameSiteContext == expected)
    }

    @Test("a POST that becomes a GET is judged as the GET")
    func rewrittenContext() throws {
        let next = try Self.next(
            Self.redirect("//www.example.org/", method: "POST", context: .laxUnsafe))
        #expect(next.sameSiteContext == .lax)
    }

    @Test("twenty redirects are followed")
    func limit() throws {
        #expect(try Self.next(Self.redirect("/x", count: 19)).redirectCount == 20)
        guard case .tooMany(let target) = try Self.redirect("/x", count: 20) else {
            Issue.record("followed")
            return
        }
        #expect(target == Array("https://www.example.com/x#d".utf8))
    }

    @Test(
        "targets that are not http are named",
        arguments: [
            ("myapp://callback?code=1", "myapp://callback?code=1"), ("data:,x", "data:,x"),
            ("wss://www.example.com/x", "wss://www.example.com/x#d"),
        ])
    func otherSchemes(location: String, expected: String) throws {
        guard case .unsupportedScheme(let target) = try Self.redirect(location) else {
            Issue.record("\(location)")
            return
        }
        #expect(target == Array(expected.utf8))
    }

    @Test("a target that is no URL, and two different ones, are invalid; the same twice is fine")
    func invalid() throws {
        for locations in [("//", nil), ("/x", "/y")] as [(String, String?)] {
            guard case .invalidLocation(let text) = try Self.redirect(locations.0, locations.1)
            else {
                Issue.record("\(locations)")
                continue
            }
            #expect(text == Array(locations.0.utf8))
        }
        #expect(try Self.next(Self.redirect("/x", "/x")).redirectCount == 1)
    }
}
