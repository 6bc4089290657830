// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The jars of a round")
struct JarPlacesTests {
    @Test(
        "are found by their names, however many more there are than was room for",
        arguments: [0, 1, 64])
    func finds(capacity: Int) {
        var places = JarPlaces(capacity: capacity)
        var jars: [WorkingJar] = []
        for number in 0..<1000 {
            let name = StorageWorld.address("jar-\(number)").jar
            #expect(places.place(of: name, among: jars) == nil)
            places.append(name)
            jars.append(WorkingJar(name, number: nil, base: .empty))
            #expect(places.place(of: name, among: jars) == number)
        }
        for (place, jar) in jars.enumerated() {
            #expect(places.place(of: jar.name, among: jars) == place)
        }
    }
}
