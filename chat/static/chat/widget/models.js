/* The models that can be asked: which one a conversation has, what each is called, and which is the next stronger. */

const UNDONE = new Set(["stopped", "failed"]);
const ENDED = new Set(["complete", ...UNDONE]);

export class Models extends EventTarget {
  constructor(api) {
    super();
    this.api = api;
    this.list = [];
    this.standard = "";
  }

  /** A site that cannot tell offers no choice. */
  async load() {
    const { results, default: standard } = await this.api.models().catch(() => ({ results: [], default: "" }));
    this.list = results;
    this.standard = standard;
    this.dispatchEvent(new Event("change"));
  }

  /** The model that a name stands for: "provider:model", a provider alone, or "" for the default. */
  find(name) {
    const wanted = name || this.standard;
    return this.list.find(({ id }) => id === wanted)
      ?? this.list.find(({ id }) => id.startsWith(`${wanted}:`));
  }

  /** Those that can be asked instead of the one that failed, `wanted` where nobody answered. */
  others({ modelId }, wanted) {
    const failed = modelId || this.find(wanted)?.id;
    return this.list.filter(({ id }) => id !== failed);
  }

  /** What a reader is told about an answer's model: {label, deeper}; `deeper` is the stronger one to go on with. */
  about({ id, modelId, status, proposals }, messages) {
    const own = this.list.find((model) => model.id === modelId);
    const waits = proposals.some((each) => each.status === "pending");
    const begun = messages.some((each) => each.deepens === id && !UNDONE.has(each.status));
    const deeper = ENDED.has(status) && !waits && !begun && own?.stronger ? this.find(own.stronger) : undefined;
    return { label: own?.label ?? "", deeper: deeper?.label ?? "" };
  }
}
