// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport

@testable import CookieSyncService

/// A service with a jar that tests write to and follow.
struct FollowedJar {
    static let path = "/v1/tenants/acme/jars/alice"
    let live: LiveService

    init(
        storage: any JarStorage = MemoryJarStorage(),
        _ change: (inout FeedSettings) -> Void = { _ in }
    ) throws {
        var settings = FeedSettings()
        change(&settings)
        live = try LiveService(storage: storage, feed: settings)
    }

    var counters: FeedCounters { live.service.feedCounters }

    /// Makes one change, of a cookie whose value has this many octets.
    func write(_ value: Int, size: Int = 1, store: String = "native") throws {
        let text = "\(value)" + String(repeating: "x", count: size)
        try live.send(
            "POST", "\(Self.path)/stores/\(store)/ingest",
            json:
                #"{"url":"https://www.example.com/","headers":[["Set-Cookie","n=\#(text)"]]}"#)
    }

    /// A stream of the jar's events.
    func follow(
        _ query: String = "", lastEventID: String? = nil, receiveBuffer: Int32? = nil
    ) throws -> EventReader {
        try EventReader(
            port: live.port, "\(Self.path)/changes\(query)", lastEventID: lastEventID,
            receiveBuffer: receiveBuffer)
    }

    /// A long-poll that is under way, on a connection of its own.
    func poll(_ query: String) throws -> RawHTTPClient {
        let client = try RawHTTPClient(port: live.port)
        try client.send(
            "GET \(Self.path)/changes\(query) HTTP/1.1\r\nHost: localhost:\(live.port)\r\n\r\n")
        return client
    }
}
