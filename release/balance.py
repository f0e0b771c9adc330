"""Which items' options to permute so that the key letters are even, with the fewest permutations.

Keys are balanced per type and in all at once: an exact optimum of a small flow problem, so that every count is within
one of even (a table of fractions can always be rounded so in rows, columns and sum: Bacharach 1966, Cox 1987). Pinned
items stay; where they make an even share impossible, the result is as even as they allow. The same input, whatever its
order, gives the same output.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from records.base import Record, digest
from records.questions import Letter, Question
from rules.permutation import with_key_at

Class = tuple[str, tuple[Letter, ...]]
"""A question type, and the letters of its options: items of one type may have different numbers of options."""
_END = ""


class BalanceItem(Record):
    """What balancing needs to know about a question."""

    item_id: str
    type_id: str
    letters: tuple[Letter, ...]
    key: Letter
    pinned: bool = False


class LetterCounts(Record):
    """How often each letter is the key."""

    total: dict[Letter, int]
    by_type: dict[str, dict[Letter, int]]


def balanced(questions: Mapping[str, Question]) -> dict[str, Question]:
    """The questions (by item id) with the fewest options permuted so that the key letters are even."""
    moves = key_moves(
        BalanceItem(
            item_id=item_id, type_id=one.type_id, letters=tuple(sorted(one.options)), key=one.key, pinned=one.pinned
        )
        for item_id, one in questions.items()
    )
    return {
        item_id: with_key_at(question, moves[item_id]) if item_id in moves else question
        for item_id, question in questions.items()
    }


def key_moves(items: Iterable[BalanceItem]) -> dict[str, Letter]:
    """Item id → the letter that its key is to move to, for the items that move. Raises ValueError for a doubled id."""
    ordered = sorted(items, key=lambda item: item.item_id)
    if len({item.item_id for item in ordered}) != len(ordered):
        raise ValueError("an item id occurs twice")
    grouped: dict[Class, list[BalanceItem]] = defaultdict(list)
    for item in ordered:
        grouped[item.type_id, item.letters].append(item)
    target = _Flow(grouped).solved()
    moves: dict[str, Letter] = {}
    for name in sorted(grouped):
        moves.update(_movers(grouped[name], target[name]))
    return moves


def letter_counts(questions: Iterable[Question]) -> LetterCounts:
    """The counts over all questions and by type; letters that options have but no key counts as 0."""
    total: Counter[Letter] = Counter()
    by_type: dict[str, Counter[Letter]] = defaultdict(Counter)
    for question in questions:
        for counter in (total, by_type[question.type_id]):
            counter.update(dict.fromkeys(question.options, 0))
            counter[question.key] += 1
    return LetterCounts(
        total=dict(sorted(total.items())),
        by_type={name: dict(sorted(found.items())) for name, found in sorted(by_type.items())},
    )


def unevenness(counts: Mapping[Letter, int]) -> int:
    """The largest count less the smallest: 0 or 1 where the letters are even."""
    return max(counts.values()) - min(counts.values()) if counts else 0


def _movers(items: Sequence[BalanceItem], target: Mapping[Letter, int]) -> dict[str, Letter]:
    """Which of a class's free items move where: from letters with too many, by hash, to letters with too few."""
    free = [item for item in items if not item.pinned]
    now = Counter(item.key for item in free)
    wanted = [letter for letter in sorted(target) for _ in range(max(0, target[letter] - now[letter]))]
    leaving: list[str] = []
    for letter in sorted(target):
        holders = sorted((item.item_id for item in free if item.key == letter), key=lambda one: digest(["move", one]))
        leaving += holders[: max(0, now[letter] - target[letter])]
    return dict(zip(leaving, wanted, strict=True))


class _Flow:
    """Free items of each class spread over its letters, at least cost: even first, then few moves.

    Cost of a letter with m keys: m² in its class and m² in all, in units that no number of moves can outweigh; one for
    every item above those that hold the letter now. All costs are convex, so cancelling negative cycles one unit at a
    time ends at the optimum. Nodes are classes, letters and one end; an edge that carries nothing cannot be reversed.
    """

    def __init__(self, grouped: Mapping[Class, Sequence[BalanceItem]]) -> None:
        self._classes = sorted(grouped)
        free = {name: [item for item in grouped[name] if not item.pinned] for name in self._classes}
        self._now = {name: Counter(item.key for item in free[name]) for name in self._classes}
        self._fixed = {name: Counter(item.key for item in grouped[name] if item.pinned) for name in self._classes}
        self._letters = sorted({letter for _, letters in self._classes for letter in letters})
        self._unit = 1 + sum(len(items) for items in free.values())
        self._flow = {name: {letter: self._now[name][letter] for letter in name[1]} for name in self._classes}

    def solved(self) -> dict[Class, dict[Letter, int]]:
        """How many free items of each class have their key at each letter."""
        while cycle := self._negative_cycle():
            for tail, head in cycle:
                self._push(tail, head)
        return self._flow

    def _push(self, tail: object, head: object) -> None:
        if isinstance(tail, tuple) and isinstance(head, str):
            self._flow[tail][head] += 1
        elif isinstance(head, tuple) and isinstance(tail, str):
            self._flow[head][tail] -= 1

    def _edges(self) -> list[tuple[object, object, int]]:
        totals = {
            letter: sum(self._flow[name].get(letter, 0) + self._fixed[name][letter] for name in self._classes)
            for letter in self._letters
        }
        edges: list[tuple[object, object, int]] = []
        for name in self._classes:
            for letter in name[1]:
                carried = self._flow[name][letter]
                edges.append((name, letter, self._step(name, letter, carried)))
                if carried:
                    edges.append((letter, name, -self._step(name, letter, carried - 1)))
        for letter in self._letters:
            free = sum(self._flow[name].get(letter, 0) for name in self._classes)
            edges.append((letter, _END, self._unit * (2 * totals[letter] + 1)))
            if free:
                edges.append((_END, letter, -self._unit * (2 * totals[letter] - 1)))
        return edges

    def _step(self, name: Class, letter: Letter, carried: int) -> int:
        """What one more free item at a letter costs in its class, where `carried` are there."""
        count = carried + self._fixed[name][letter]
        return self._unit * (2 * count + 1) + (carried >= self._now[name][letter])

    def _negative_cycle(self) -> list[tuple[object, object]]:
        """Bellman–Ford from everywhere at once; a cycle that lowers the cost, or nothing."""
        edges = self._edges()
        nodes: list[object] = [*self._classes, *self._letters, _END]
        distance: dict[object, int] = dict.fromkeys(nodes, 0)
        before: dict[object, object] = {}
        last: object = None
        for _ in nodes:
            last = None
            for tail, head, cost in edges:
                if distance[tail] + cost < distance[head]:
                    distance[head] = distance[tail] + cost
                    before[head] = tail
                    last = head
            if last is None:
                return []
        node = last
        for _ in nodes:
            node = before[node]
        cycle = []
        start = node
        while True:
            cycle.append((before[node], node))
            node = before[node]
            if node == start:
                return cycle
