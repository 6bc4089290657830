// SPDX-License-Identifier: Apache-2.0

/// The connections of one loop, in slots that are used again.
///
/// What epoll and other threads hold is the slot's number and its generation, so that news of a connection that has
/// gone never reaches its successor.
struct ConnectionTable {
    private var connections: [Connection] = []
    private var free: [Int] = []
    private(set) var count = 0

    /// One past the highest slot that was ever used.
    var slotCount: Int { connections.count }

    /// The connection of a slot that was used before.
    subscript(slot: Int) -> Connection {
        _read { yield connections[slot] }
        _modify { yield &connections[slot] }
    }

    /// Takes a slot.
    mutating func insert(descriptor: Int32, peer: PeerAddress, state: ConnectionState) -> Int {
        count += 1
        if let slot = free.popLast() {
            let generation = connections[slot].generation &+ 1
            connections[slot] = Connection(
                descriptor: descriptor, peer: peer, slot: UInt32(truncatingIfNeeded: slot),
                generation: generation, state: state)
            return slot
        }
        let slot = connections.count
        connections.append(
            Connection(
                descriptor: descriptor, peer: peer, slot: UInt32(truncatingIfNeeded: slot),
                generation: 0, state: state))
        return slot
    }

    /// Empties a slot; what its connection held is released.
    mutating func remove(_ slot: Int) {
        connections[slot].vacate()
        free.append(slot)
        count -= 1
    }

    /// The slot of a connection, if that connection is still there.
    func find(slot: UInt32, generation: UInt32) -> Int? {
        let slot = Int(slot)
        guard slot < connections.count, connections[slot].generation == generation,
            !connections[slot].isVacant
        else { return nil }
        return slot
    }
}
