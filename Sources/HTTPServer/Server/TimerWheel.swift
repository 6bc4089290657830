// SPDX-License-Identifier: Apache-2.0
// One wheel of timers per loop. A slot of the connection table has at most one entry, which says only when to look at
// the connection: moving a deadline back costs nothing, because the entry stays where it is and is renewed when it
// comes up; only a deadline that moves forward moves the entry. Deadlines beyond the wheel's turn are looked at once
// per turn.

/// Says which slots have to be looked at, and when.
struct TimerWheel {
    private static let tickShift: Int64 = 4
    private static let bucketCount = 1024
    private static let none: Int32 = -1

    /// The first slot of each bucket's list.
    private var heads = [Int32](repeating: none, count: bucketCount)
    /// A bit for each bucket that is not empty.
    private var occupied = [UInt64](repeating: 0, count: bucketCount / 64)
    private var entries: [Entry] = []
    private var currentTick: Int64

    private struct Entry {
        var tick: Int64 = -1
        var previous = TimerWheel.none
        var next = TimerWheel.none
    }

    /// A wheel that begins at a time in milliseconds.
    init(now: Int64) {
        currentTick = now >> Self.tickShift
    }

    /// Has a slot looked at no later than shortly after a deadline.
    mutating func schedule(_ slot: Int, by deadline: Int64) {
        while entries.count <= slot { entries.append(Entry()) }
        // Rounded up, so that the deadline has passed when the slot comes up.
        let wanted = deadline == Int64.max ? deadline : (deadline >> Self.tickShift) + 1
        let tick = max(currentTick + 1, min(wanted, currentTick + Int64(Self.bucketCount) - 1))
        if entries[slot].tick >= 0 {
            guard tick < entries[slot].tick else { return }
            cancel(slot)
        }
        insert(Int32(slot), tick)
    }

    /// Forgets a slot.
    mutating func cancel(_ slot: Int) {
        guard slot < entries.count, entries[slot].tick >= 0 else { return }
        let entry = entries[slot]
        let bucket = Self.bucket(entry.tick)
        if entry.previous == Self.none {
            heads[bucket] = entry.next
        } else {
            entries[Int(entry.previous)].next = entry.next
        }
        if entry.next != Self.none { entries[Int(entry.next)].previous = entry.previous }
        if heads[bucket] == Self.none { occupied[bucket >> 6] &= ~(1 << UInt64(bucket & 63)) }
        entries[slot] = Entry()
    }

    /// Moves on to a time, and takes out the slots that have to be looked at.
    mutating func advance(to now: Int64, due: inout [Int]) {
        let target = now >> Self.tickShift
        let steps = min(target - currentTick, Int64(Self.bucketCount))
        guard steps > 0 else { return }
        for step in 1...steps {
            let bucket = Self.bucket(target - steps + step)
            while heads[bucket] != Self.none {
                let slot = Int(heads[bucket])
                cancel(slot)
                due.append(slot)
            }
        }
        currentTick = target
    }

    /// How many milliseconds until a slot has to be looked at; nil if there is none.
    func delay(from now: Int64) -> Int64? {
        var step = 1
        while step < Self.bucketCount {
            let tick = currentTick + Int64(step)
            let bucket = Self.bucket(tick)
            let rest = occupied[bucket >> 6] >> UInt64(bucket & 63)
            if rest != 0 {
                let ahead = step + rest.trailingZeroBitCount
                guard ahead < Self.bucketCount else { return nil }
                return max(0, ((currentTick + Int64(ahead)) << Self.tickShift) - now)
            }
            step += 64 - (bucket & 63)
        }
        return nil
    }

    private mutating func insert(_ slot: Int32, _ tick: Int64) {
        let bucket = Self.bucket(tick)
        let next = heads[bucket]
        entries[Int(slot)] = Entry(tick: tick, previous: Self.none, next: next)
        if next != Self.none { entries[Int(next)].previous = slot }
        heads[bucket] = slot
        occupied[bucket >> 6] |= 1 << UInt64(bucket & 63)
    }

    private static func bucket(_ tick: Int64) -> Int {
        Int(tick) & (bucketCount - 1)
    }
}
