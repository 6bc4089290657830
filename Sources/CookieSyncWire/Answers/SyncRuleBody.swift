// SPDX-License-Identifier: Apache-2.0

/// A standing sync; `SyncRule` in openapi.yaml.
public struct SyncRuleBody: AnswerBody {
    /// How far it has been applied to the jars that were there before it.
    public struct Progress: Sendable {
        /// When that began, in milliseconds since the epoch.
        public let startedAt: Int64
        /// When it ended; nil as long as it runs.
        public let finishedAt: Int64?
        /// How many jars were looked at.
        public let jarCount: UInt64
        /// How many of them were changed.
        public let changedCount: UInt64

        /// Progress made of its parts.
        public init(startedAt: Int64, finishedAt: Int64?, jarCount: UInt64, changedCount: UInt64) {
            self.startedAt = startedAt
            self.finishedAt = finishedAt
            self.jarCount = jarCount
            self.changedCount = changedCount
        }
    }

    /// Its name.
    public let name: [UInt8]
    /// Which stores it copies from.
    public let from: [UInt8]
    /// The store that it copies to.
    public let to: [UInt8]
    /// How.
    public let mode: String
    /// Only cookies in this URL's scope.
    public let url: [UInt8]?
    /// Only cookies of these domains.
    public let domains: [[UInt8]]
    /// Only cookies of these names.
    public let names: [[UInt8]]
    /// Nil when it is for writes only.
    public let progress: Progress?

    /// A rule made of its parts.
    public init(
        name: [UInt8], from: [UInt8], to: [UInt8], mode: String, url: [UInt8]?,
        domains: [[UInt8]], names: [[UInt8]], progress: Progress?
    ) {
        self.name = name
        self.from = from
        self.to = to
        self.mode = mode
        self.url = url
        self.domains = domains
        self.names = names
        self.progress = progress
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("name")
        writer.string(name)
        writer.name("from")
        writer.string(from)
        writer.name("to")
        writer.string(to)
        writer.name("mode")
        writer.string(mode)
        writer.name("filter")
        writer.beginObject()
        writer.name("url")
        if let url { writer.string(url) } else { writer.null() }
        writer.name("domains")
        writer.strings(domains)
        writer.name("names")
        writer.strings(names)
        writer.endObject()
        writer.name("apply_to_existing")
        writer.bool(progress != nil)
        writer.name("progress")
        if let progress { encode(progress, to: &writer) } else { writer.null() }
        writer.endObject()
    }

    private func encode(_ progress: Progress, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("state")
        writer.string(progress.finishedAt == nil ? "running" : "done")
        writer.name("jars_looked_at")
        writer.integer(progress.jarCount)
        writer.name("jars_changed")
        writer.integer(progress.changedCount)
        writer.name("started_at")
        writer.time(progress.startedAt)
        writer.name("finished_at")
        if let finishedAt = progress.finishedAt { writer.time(finishedAt) } else { writer.null() }
        writer.endObject()
    }
}

/// A tenant's standing syncs; `SyncRuleList` in openapi.yaml.
public struct SyncRuleListBody: AnswerBody {
    /// The rules in the order of their names.
    public let rules: [SyncRuleBody]

    /// A list.
    public init(rules: [SyncRuleBody]) { self.rules = rules }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("sync_rules")
        writer.array(rules)
        writer.endObject()
    }
}
