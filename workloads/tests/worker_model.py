"""A second implementation of what a worker's digest folds: sizes dealt by quota and shuffled by
xoshiro256++, and the fold of prefix, length and timestamp of every message. Written from the
documentation of the C sources, to be compared with their rows."""

MASK = (1 << 64) - 1
BASE_NS, STEP_NS = 1_681_964_442_000_000_000, 1_000_000
STREAM_SIZES = 1


def splitmix64(state):
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = state
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return state, z ^ z >> 31


class Rng:
    def __init__(self, seed, stream):
        state = seed ^ splitmix64(stream)[1]
        self.words = []
        for _ in range(4):
            state, word = splitmix64(state)
            self.words.append(word)

    def draw(self):
        a, b, c, d = self.words
        total = (a + d) & MASK
        result = ((total << 23 | total >> 41) + a) & MASK
        last = b ^ d
        self.words = [a ^ b ^ d, a ^ b ^ c, a ^ c ^ (b << 17 & MASK),
                      (last << 45 | last >> 19) & MASK]
        return result

    def below(self, n):
        x = self.draw()
        while x < 2**64 % n:
            x = self.draw()
        return x % n

    def shuffle(self, items):
        for i in range(len(items), 1, -1):
            j = self.below(i)
            items[i - 1], items[j] = items[j], items[i - 1]


def sizes(bins, rng, n):
    """bins: (bytes, weight). Largest remainders; ties to the heavier bin, then to the earlier."""
    total = sum(weight for _, weight in bins)
    quota = [n * weight // total for _, weight in bins]
    order = sorted(range(len(bins)), key=lambda i: (-(n * bins[i][1] % total), -bins[i][1], i))
    for i in order[:n - sum(quota)]:
        quota[i] += 1
    dealt = []
    for (size, _), count in zip(bins, quota):
        for _ in range(count):
            dealt.append(size + rng.below(1))  # a bin of one size still draws
    rng.shuffle(dealt)
    return dealt


def fold(digest, word):
    digest = ((digest ^ word & MASK) * 0x9E3779B97F4A7C15) & MASK
    return digest ^ digest >> 29


def digests(seed, bins, n_warmup, n_messages, n_runs):
    """The digest of each run, the warm-up's first."""
    result, idx = [], 0
    for run in range(n_runs + 1):
        digest = 0
        for size in sizes(bins, Rng(seed, STREAM_SIZES + run), n_messages if run else n_warmup):
            for word in (idx, size, BASE_NS + idx * STEP_NS):
                digest = fold(digest, word)
            idx += 1
        result.append(digest)
    return result
