"""log_model.py -- reads a log by docs/log.md, without the reader of memprofdata, and says
which blocks were alive at a moment."""

DURATION = 4  # a fact: as in META of raw profiles
FREE, LIVE = 2, 3
WEIGHT = 8  # of the beginning
TEMPORARY, ELSEWHERE, PEAK, MORE, ENDED, RW = 8, 16, 64, 128, 1024, 2048


class Cursor:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def integer(self):
        n = shift = 0
        while True:
            b = self.byte()
            n |= (b & 127) << shift
            shift += 7
            if b & 128:
                return n

    def signed(self):
        n = self.integer()
        return n // 2 if n % 2 == 0 else -(n + 1) // 2

    def string(self):
        end = self.data.index(b"\0", self.at)
        text, self.at = self.data[self.at:end], end + 1
        return text.decode()


class Block:
    def __init__(self, thread, address, birth, size, context):
        self.thread, self.address, self.birth = thread, address, birth
        self.size, self.context = size, context
        self.death, self.accesses, self.lives, self.ended_by = None, 0, False, None


class Log:
    def __init__(self, path):
        with open(path, "rb") as f:
            c = Cursor(f.read())
        self.blocks, self.marks, self.is_whole, self.last_ns = [], [], False, 0
        self.duration = None
        self.last_of = {}  # (thread, address): the last block
        self.others, self.lives = [], []  # ends by other threads, LIVE events
        self.tags, self.told = {}, []  # events of the program
        assert c.byte() == 1 and c.integer() in (2, 3)
        self.program = c.string()
        c.integer(), c.integer()
        while c.at < len(c.data) and not self.is_whole:
            code, size = c.byte(), c.integer()
            if c.at + size > len(c.data):
                break
            inner = Cursor(c.data[c.at:c.at + size])
            c.at += size
            self.is_whole = code == 8
            {6: self.events, 12: self.further, 9: self.facts,
             10: self.read_marks, 18: self.read_tags}.get(code, id)(inner)
        self.finish()

    def facts(self, c):
        while key := c.integer():
            number, _ = c.integer(), c.string()
            if key - 1 == DURATION:
                self.duration = number

    def read_marks(self, c):
        while kind := c.integer():
            self.marks.append((c.integer(), kind, c.integer(), c.string()))

    def read_tags(self, c):
        while context := c.integer():
            self.tags[context] = c.string()

    def further(self, c):
        self.events(c, True)

    def events(self, c, is_further=False):
        c.integer()
        thread, ns, at = c.integer(), c.integer(), 0
        if is_further:
            at, _, _ = c.integer(), c.integer(), c.integer()
        while code := c.byte():
            kind = code & 7
            if kind in (1, FREE, LIVE):
                flags = code & ~7
                if kind != 1 and flags & MORE:
                    flags |= c.byte() << 8
                at += 16 * c.signed()
                ns += c.signed()
                number = c.integer()
                self.last_ns = max(self.last_ns, ns)
            if kind == 1:
                block = Block(thread, at, ns, number, c.integer())
                block.weight = c.integer() if flags & WEIGHT else 1
                self.blocks.append(block)
                self.last_of[thread, at] = block
            elif kind in (FREE, LIVE):
                lifetime = c.signed() if flags & ELSEWHERE else None
                end = [c.integer() for _ in range(3)] if flags & ENDED else None
                if flags & RW:
                    [c.integer() for _ in range(4)]
                if kind == LIVE:
                    self.lives.append((at, number))
                elif lifetime is not None:
                    self.others.append((at, ns - lifetime, ns, number, thread))
                else:
                    block = self.last_of.pop((thread, at))
                    block.death, block.accesses = ns, number
                    block.ended_by = thread
            elif kind in (4, 5):
                c.integer()
            elif kind == 6:
                what = c.integer()
                ns += c.signed()
                weight = c.integer()
                if what >= 16:
                    self.told.append((ns, thread, self.tags[what - 16], weight))
            else:
                c.integer(), c.integer(), c.integer()

    def finish(self):
        born = {}
        for b in self.blocks:
            if b.death is None:
                born.setdefault((b.address, b.birth), []).append(b)
        for at, birth, ns, accesses, thread in self.others:
            block = born[at, birth].pop(0)
            block.death, block.accesses, block.ended_by = ns, accesses, thread
        alive = {}
        for b in self.blocks:
            if b.death is None and (b.address not in alive or
                                    b.birth > alive[b.address].birth):
                alive[b.address] = b
        if not self.is_whole:
            for b in self.blocks:
                b.lives = b.death is None
        for at, accesses in self.lives:
            alive[at].lives, alive[at].accesses = True, accesses
        self.marks.sort()
        if self.duration is None:
            self.duration = self.last_ns

    def alive(self, ns, after=-1):
        """Blocks that were born after `after` and were alive at ns."""
        return [b for b in self.blocks if after < b.birth <= ns and
                (b.death > ns if b.death is not None else b.lives)]

