// What the page of an object asks the server for.

import { HistoryApi } from "../history/api.js";

export class RecordApi extends HistoryApi {
  constructor({ api, workspace, type, id }) {
    super({ base: api, workspace, object: `${type}:${id}` });
    this.ref = { type, id };
    /** Names the object in this tab's storage. */
    this.name = `${workspace}:${type}:${id}`;
  }

  get path() {
    return `objects/${encodeURIComponent(this.ref.type)}/${encodeURIComponent(this.ref.id)}`;
  }

  /** Does one action with the object; `version` is the one that the person saw. Gives the change set. */
  async change(action, given, version) {
    const actions = [{ action, arguments: given }];
    const expected = version === undefined ? [] : [{ ...this.ref, version }];
    const made = await this.request("POST", `${this.path}/changes`, { actions, expected });
    this.tell(made);
    return made;
  }

  /** Tells the page that a change set was made, which it hears of later by itself. */
  tell({ id, objects }) {
    const { type, id: key } = this.ref;
    const version = objects?.find((each) => each.type === type && each.id === key)?.version ?? null;
    const detail = { object: this.ref, version, changeSetId: id };
    document.dispatchEvent(new CustomEvent("countersign:object-changed", { detail }));
  }
}
