import PhotoModel
import Testing

@testable import LibraryStore

/// The deletion of objects as a value: two servers bring and name them, one sweeps, any may pause before any step, and time
/// passes.
private struct ReclaimMachine: Hashable {
    /// How long ago things were, in steps of twelve hours; more than needed counts as `oldest`.
    typealias Age = Int8
    static let oldest: Age = 2

    struct Object: Hashable {
        var isThere = false
        /// Age of the mark; nil without one.
        var mark: Age?
        var isCondemned = false
        /// Whether the sweep is about to delete it.
        var isDoomed = false
        var isNamed = false
    }

    /// One server's commit of an object.
    struct Commit: Hashable {
        let object: Int
        let isBatch: Bool
        /// Age of the batch; nil before it began, and for an upload.
        var received: Age?
        /// The upload's row, which lives from before its bytes come until the commit.
        var hasUpload = false
        var isPut = false
        /// What it will name: its own object, or the other that a row named when it planned.
        var plan: Int?
        var isDone = false
    }

    var objects = [Object(), Object()]
    var commits: [Commit]

    /// A row that names an object which is gone.
    var loss: Bool { objects.contains { $0.isNamed && !$0.isThere } }

    private var named: Int? { objects.firstIndex(where: \.isNamed) }

    private static func duration(_ age: Age) -> Duration { .seconds(Int64(age) * 12 * 3600) }

    private func isWanted(_ index: Int) -> Bool {
        objects[index].isNamed || commits.contains { $0.object == index && $0.hasUpload }
    }

    /// Every state that one step leads to.
    var next: [ReclaimMachine] {
        var states: [ReclaimMachine] = [passing()]
        for index in commits.indices { states += steps(of: index) }
        for index in objects.indices { states += reclaimed(index) }
        return states
    }

    private func changed(_ change: (inout ReclaimMachine) -> Void) -> ReclaimMachine {
        var copy = self
        change(&copy)
        return copy
    }

    private func passing() -> ReclaimMachine {
        changed { state in
            func older(_ age: Age) -> Age { min(age + 1, Self.oldest) }
            for index in state.objects.indices { state.objects[index].mark = state.objects[index].mark.map(older) }
            for index in state.commits.indices {
                state.commits[index].received = state.commits[index].received.map(older)
            }
        }
    }

    /// What a server does next for its commit, or the loss of its upload's row; not doing it is a pause.
    private func steps(of index: Int) -> [ReclaimMachine] {
        let commit = commits[index]
        guard !commit.isDone else { return [] }
        if commit.hasUpload, commit.plan != nil { return [cancelled(index)] + finished(index) }
        guard commit.received != nil || commit.hasUpload || commit.isPut else {
            return [
                changed { state in
                    if commit.isBatch {
                        state.commits[index].received = 0
                    } else {
                        state.commits[index].hasUpload = true
                    }
                }
            ]
        }
        guard commit.isPut else {
            return [
                changed { state in
                    state.objects[commit.object].isThere = true
                    state.commits[index].isPut = true
                }
            ]
        }
        guard commit.plan != nil else {
            // A batch brings its own place; an upload takes the one that is known.
            let plan = commit.isBatch ? commit.object : named ?? commit.object
            return [changed { $0.commits[index].plan = plan }]
        }
        return finished(index)
    }

    private func cancelled(_ index: Int) -> ReclaimMachine {
        changed { $0.commits[index].hasUpload = false }
    }

    /// The commit's transaction: a row that names the content stays as it is, else the rules decide.
    private func finished(_ index: Int) -> [ReclaimMachine] {
        let commit = commits[index]
        guard commit.isBatch || commit.hasUpload, let plan = commit.plan else { return [] }
        return [
            changed { state in
                state.commits[index].isDone = true
                state.commits[index].hasUpload = false
                guard named == nil else { return }
                let object = objects[plan]
                let mark: ReclaimRules.Mark = object.isCondemned ? .condemned : object.mark == nil ? .none : .open
                let mayName = ReclaimRules.mayName(
                    mark,
                    hasUpload: commits.contains { $0.object == plan && $0.hasUpload },
                    receivedAge: commit.received.map(Self.duration)
                )
                guard mayName else { return }
                state.objects[plan].mark = nil
                state.objects[plan].isNamed = true
            }
        ]
    }

    /// What the sweep, a purge or the deletion does with an object.
    private func reclaimed(_ index: Int) -> [ReclaimMachine] {
        let object = objects[index]
        var states: [ReclaimMachine] = []
        if object.isNamed {
            // Purged: the row goes, and the mark comes.
            states.append(
                changed { state in
                    state.objects[index].isNamed = false
                    state.objects[index].mark = 0
                }
            )
        }
        if object.isThere, object.mark == nil, !isWanted(index) {
            states.append(changed { $0.objects[index].mark = 0 })
        }
        if let age = object.mark, !object.isCondemned,
            ReclaimRules.mayCondemn(age: Self.duration(age), isWanted: isWanted(index))
        {
            states.append(
                changed { state in
                    state.objects[index].isCondemned = true
                    state.objects[index].isDoomed = true
                }
            )
        }
        if object.isDoomed, object.isThere { states.append(changed { $0.objects[index].isThere = false }) }
        if object.isDoomed, !object.isThere {
            states.append(
                changed { state in
                    state.objects[index].mark = nil
                    state.objects[index].isCondemned = false
                    state.objects[index].isDoomed = false
                }
            )
        }
        return states
    }
}

struct ReclaimTests {
    @Test(
        "no order of two commits, a purge, a sweep, pauses and deletions leaves a row without its object",
        arguments: [[true, true], [true, false], [false, false]]
    )
    func everyOrder(batches: [Bool]) {
        let commits = batches.enumerated().map { ReclaimMachine.Commit(object: $0, isBatch: $1) }
        let start = ReclaimMachine(commits: commits)
        var seen: Set<ReclaimMachine> = [start]
        var front = [start]
        var deletions = 0
        while let state = front.popLast() {
            for next in state.next where seen.insert(next).inserted {
                if next.loss {
                    Issue.record("a row names what is gone: \(next), after \(state)")
                    return
                }
                if zip(state.objects, next.objects).contains(where: { $0.isThere && !$1.isThere }) { deletions += 1 }
                front.append(next)
            }
        }
        #expect(seen.count > 100 && deletions > 10, "\(seen.count) states, \(deletions) deletions")
    }
}
