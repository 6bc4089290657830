// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counters in a row, addressed by their place: for a table that is laid out by whoever owns it.
///
/// To count is one relaxed atomic addition. Any thread may count and read; a reader may see one counter newer than another.
///
/// `@unchecked Sendable`: the pointer never changes, and what it points to is atomic.
public final class CounterRow: @unchecked Sendable {
    private let counters: UnsafeMutablePointer<Atomic<Int>>
    /// How many there are.
    public let count: Int

    /// So many counters at 0.
    public init(count: Int) {
        precondition(count >= 0)
        self.count = count
        counters = UnsafeMutablePointer.allocate(capacity: count)
        for index in 0..<count { (counters + index).initialize(to: Atomic(0)) }
    }

    deinit {
        counters.deinitialize(count: count)
        counters.deallocate()
    }

    /// Adds to one counter; a place beyond the last is a mistake of the programmer.
    public func add(_ amount: Int = 1, at index: Int) {
        precondition(0 <= index && index < count, "no such counter")
        counters[index].wrappingAdd(amount, ordering: .relaxed)
    }

    /// Adds 1 to one counter, and tells what it has come to by that.
    public func increment(at index: Int) -> Int {
        precondition(0 <= index && index < count, "no such counter")
        return counters[index].wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// What a counter has come to.
    public subscript(index: Int) -> Int {
        precondition(0 <= index && index < count, "no such counter")
        return counters[index].load(ordering: .relaxed)
    }
}

/// How often values fell below each of some bounds, and their sum.
///
/// To observe is two relaxed atomic additions and a short search.
public final class Histogram: Sendable {
    /// Bounds for durations in nanoseconds, from 100 µs to 10 s.
    public static let durations = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000,
        50_000_000, 100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
        5_000_000_000, 10_000_000_000,
    ]
    /// Bounds for the sizes of batches.
    public static let sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

    private let bounds: [Int]
    private let row: CounterRow

    /// A histogram of nothing.
    ///
    /// - Parameter bounds: rising; what is greater than the last falls into a bucket of its own.
    public init(bounds: [Int]) {
        self.bounds = bounds
        row = CounterRow(count: bounds.count + 2)
    }

    /// Counts a value.
    ///
    /// - Complexity: O(n) in the bounds below the value.
    public func observe(_ value: Int) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        row.add(at: bucket)
        row.add(value, at: bounds.count + 1)
    }

    /// What it has come to.
    public var snapshot: HistogramSnapshot {
        HistogramSnapshot(
            bounds: bounds, counts: (0...bounds.count).map { row[$0] }, sum: row[bounds.count + 1])
    }
}

/// What a histogram has come to.
public struct HistogramSnapshot: Sendable, Equatable {
    /// The bounds; each bucket counts values up to its bound, above the one before.
    public let bounds: [Int]
    /// One count per bound, and one for what is greater than all.
    public private(set) var counts: [Int]
    /// The sum of all values.
    public private(set) var sum: Int

    /// Counts by bucket.
    public init(bounds: [Int], counts: [Int], sum: Int) {
        precondition(counts.count == bounds.count + 1)
        self.bounds = bounds
        self.counts = counts
        self.sum = sum
    }

    /// How many values there were.
    public var count: Int { counts.reduce(0, &+) }

    /// Adds another one with the same bounds.
    public mutating func add(_ other: HistogramSnapshot) {
        precondition(bounds == other.bounds)
        for index in counts.indices { counts[index] &+= other.counts[index] }
        sum &+= other.sum
    }
}
