/* The list of conversations about this object, and of those that others share: loading, renaming, archiving, deleting. Used by the conversations menu. */

export class Sessions extends EventTarget {
  constructor(api) {
    super();
    this.api = api;
    this.items = [];
    this.shared = [];
    this.next = null;
    this.error = null;
    this.loaded = false;
    /** Whether those that were put away are listed, in place of the others. */
    this.archived = false;
    this.last = Promise.resolve();
  }

  async refresh() {
    await this.attempt(async () => {
      const { archived } = this;
      const [own, others] = await Promise.all([this.api.sessions({ archived }), archived ? null : this.api.sharedSessions()]);
      if (archived !== this.archived) return;
      this.shared = others?.results ?? [];
      this.take(own, []);
    });
    return this.items;
  }

  async loadMore() {
    await this.attempt(async () => this.next && this.take(await this.api.page(this.next), this.items));
  }

  take({ results, next }, before) {
    const known = new Set(before.map(({ id }) => id));
    this.items = [...before, ...results.filter(({ id }) => !known.has(id))];
    this.next = next ?? null;
    this.loaded = true;
  }

  async rename(id, title) {
    await this.attempt(async () => {
      const changed = await this.api.changeSession(id, { title });
      this.items = this.items.map((item) => (item.id === id ? { ...item, ...changed, title } : item));
    });
  }

  /** Puts it away, or brings it back; true when that was done. */
  async archive(id, archived) {
    await this.attempt(() => this.api.changeSession(id, { archived }));
    if (this.error) return false;
    this.items = this.items.filter((item) => item.id !== id);
    this.dispatchEvent(new Event("change"));
    return true;
  }

  /** True when it is gone, whoever removed it. */
  async remove(id) {
    await this.attempt(() => this.api.remove(id).catch(ignoreAbsent));
    if (this.error) return false;
    this.items = this.items.filter((item) => item.id !== id);
    this.dispatchEvent(new Event("change"));
    return true;
  }

  /** One after the other: what was read before something was done would undo it here. */
  attempt(work) {
    this.last = this.last.then(async () => {
      this.error = null;
      try {
        await work();
      } catch (error) {
        this.error = error.message;
      }
      this.dispatchEvent(new Event("change"));
    });
    return this.last;
  }
}

function ignoreAbsent(error) {
  if (error.status !== 404) throw error;
}
