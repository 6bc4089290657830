// SPDX-License-Identifier: Apache-2.0

public import CookieSyncWire

/// One jar of the service: the stores of one login identity.
public struct JarClient: Sendable {
    let caller: Caller
    let path: [String]

    /// One layer's view of the identity, such as `native` or `webview`.
    public func store(_ store: String) -> StoreClient {
        StoreClient(caller: caller, path: path + ["stores", store])
    }

    /// Syncs one store to another.
    ///
    /// - Parameters:
    ///   - from: The store to copy from.
    ///   - to: The store to copy to.
    ///   - mode: How.
    ///   - conditions: What must hold for it; by default, that it is made once.
    /// - Returns: What became of each cookie.
    /// - Throws: Why it was not done.
    @discardableResult
    public func sync(
        from: String, to: String, mode: SyncModeWord = .merge,
        conditions: WriteConditions = .once
    ) async throws(ClientError) -> SyncAnswerBody {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("from")
        writer.string(from)
        writer.name("to")
        writer.string(to)
        writer.name("mode")
        writer.string(mode.rawValue)
        writer.endObject()
        return try await caller.body(
            SyncAnswerBody.self,
            of: APICall(
                method: "POST", path: path + ["sync"], body: ("application/json", writer.bytes),
                conditions: conditions))
    }

    /// One page of what happened to the jar's cookies.
    ///
    /// - Parameters:
    ///   - revision: The revision that the caller knows; 0 for all that is kept.
    ///   - store: Only what happened in this store; nil for every store.
    ///   - waitSeconds: How long the service waits for something to happen, at most 55.
    /// - Returns: The changes, oldest first, and the revision that the next page begins at.
    /// - Throws: `gone` when the changes since that revision are not kept any more.
    public func changes(
        since revision: UInt64, in store: String? = nil, waitSeconds: Int = 0
    ) async throws(ClientError) -> ChangePageBody {
        var call = APICall(method: "GET", path: path + ["changes"])
        call.query.append(("since", String(revision)))
        if let store { call.query.append(("store", store)) }
        if waitSeconds > 0 {
            call.query.append(("wait", String(waitSeconds)))
            call.timeoutSeconds = caller.timeoutSeconds + waitSeconds
        }
        return try await caller.body(ChangePageBody.self, of: call)
    }

    /// Everything that happens to the jar's cookies from a revision on, page by page, until the task is cancelled.
    public func follow(since revision: UInt64, in store: String? = nil) -> ChangeFeed {
        ChangeFeed(jar: self, store: store, revision: revision)
    }

    /// Ends every store's session: session cookies go, as when a browser closes.
    public func endSession(
        conditions: WriteConditions = .once
    ) async throws(ClientError) {
        _ = try await caller.answer(
            APICall(method: "POST", path: path + ["end-session"], conditions: conditions))
    }

    /// Deletes the jar's cookies: logged out everywhere.
    public func delete() async throws(ClientError) {
        _ = try await caller.answer(APICall(method: "DELETE", path: path))
    }
}

/// The changes of a jar, as they happen.
///
/// Each element is a page with at least one change; its `revision` is where a later `follow` begins. It ends by an error
/// only: `gone` when the follower was away too long, else what `JarClient.changes` throws after its retries.
public struct ChangeFeed: AsyncSequence, Sendable {
    /// How long one question waits for an answer.
    private static let waitSeconds = 50

    let jar: JarClient
    let store: String?
    let revision: UInt64

    /// Asks for one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let jar: JarClient
        let store: String?
        var revision: UInt64

        /// The next page that has a change; nil once the task is cancelled.
        public mutating func next() async throws(ClientError) -> ChangePageBody? {
            while !Task.isCancelled {
                let page: ChangePageBody
                do throws(ClientError) {
                    page = try await jar.changes(
                        since: revision, in: store, waitSeconds: ChangeFeed.waitSeconds)
                } catch {
                    if Task.isCancelled { return nil }
                    throw error
                }
                revision = page.revision
                if !page.changes.isEmpty { return page }
            }
            return nil
        }
    }

    /// Begins at the revision that the feed was made with.
    public func makeAsyncIterator() -> Iterator {
        Iterator(jar: jar, store: store, revision: revision)
    }
}
