/* The list of conversations about this object, and of those that others share: loading, renaming, archiving, deleting. Used by the conversations menu. */

export class Sessions extends EventTarget {
  constructor(api) {
    super();
    this.api = api;
    this.items = [];
    this.shared = [];
    this.next = null;
    this.loaded = false;
    /** Whether those that were put away are listed, in place of the others. */
    this.archived = false;
    /** Whether the next first page takes the place of all that is listed. */
    this.anew = true;
    /** Why the last read failed, and why what was done last was refused. */
    this.unread = null;
    this.refused = null;
    /** Rises as something begins to be done and as it is done: what was read before may not be so any more. */
    this.acts = 0;
    /** Of the reads of the first page only the last one counts. */
    this.reads = 0;
  }

  get error() {
    return this.refused ?? this.unread;
  }

  /** Lists those that were put away, or the others, from the beginning. */
  list(archived) {
    if (archived !== this.archived) Object.assign(this, { archived, items: [], next: null, loaded: false });
    Object.assign(this, { anew: true, unread: null });
  }

  /** Reads the first page, and gives what it holds. */
  async refresh() {
    this.reads += 1;
    const { reads, archived } = this;
    let found = [];
    const ask = async () => {
      const [own, others] = await Promise.all([this.api.sessions({ archived }), archived ? null : this.api.sharedSessions()]);
      found = own.results;
      return { own, others };
    };
    await this.read(ask, () => reads === this.reads && archived === this.archived, ({ own, others }) => {
      this.shared = others?.results ?? [];
      this.take(own);
    });
    return found;
  }

  async loadMore() {
    const { next } = this;
    if (!next) return;
    this.anew = false;
    await this.read(() => this.api.page(next), () => next === this.next, (page) => {
      const known = new Set(this.items.map(({ id }) => id));
      this.items = [...this.items, ...page.results.filter(({ id }) => !known.has(id))];
      this.next = page.next ?? null;
    });
  }

  /** The first page; what is listed below it stays, unless so much came that some between the two is not known. */
  take({ results, next }) {
    const known = new Set(results.map(({ id }) => id));
    const last = results.at(-1)?.updatedAt;
    const goesOn = next && !this.anew && this.items.some(({ id }) => known.has(id));
    const older = goesOn ? this.items.filter(({ id, updatedAt }) => !known.has(id) && updatedAt <= last) : [];
    this.items = [...results, ...older];
    if (!older.length) this.next = next ?? null;
    this.loaded = true;
    this.anew = false;
  }

  /** Asks, again where something was done meanwhile, and takes the answer while it `counts`. */
  async read(ask, counts, take) {
    this.unread = null;
    try {
      let answer, acts;
      do {
        acts = this.acts;
        answer = await ask();
      } while (acts !== this.acts && counts());
      if (counts()) take(answer);
    } catch (error) {
      if (counts()) this.unread = error.message;
    }
    this.dispatchEvent(new Event("change"));
  }

  /** True when it was taken. */
  rename(id, title) {
    return this.act(() => this.api.changeSession(id, { title }), (changed) => {
      this.items = this.items.map((item) => (item.id === id ? { ...item, ...changed, title } : item));
    });
  }

  /** Puts it away, or brings it back; true when that was done. */
  archive(id, archived) {
    const done = () => (this.archived === archived ? this.refresh() : this.leaveOut(id));
    return this.act(() => this.api.changeSession(id, { archived }), done);
  }

  /** True when it is gone, whoever removed it. */
  remove(id) {
    return this.act(() => this.api.remove(id).catch(ignoreAbsent), () => this.leaveOut(id));
  }

  leaveOut(id) {
    this.items = this.items.filter((item) => item.id !== id);
  }

  async act(work, done) {
    this.refused = null;
    this.acts += 1;
    let taken = true;
    try {
      done(await work());
    } catch (error) {
      this.refused = error.message;
      taken = false;
    }
    this.acts += 1;
    this.dispatchEvent(new Event("change"));
    return taken;
  }
}

function ignoreAbsent(error) {
  if (error.status !== 404) throw error;
}
