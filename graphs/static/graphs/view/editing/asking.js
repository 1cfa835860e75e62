// How the server is asked for a change: drawn at once, decided with the person where others changed the same, undone.

import { Refusal, unlessRefused } from "../../requests.js";
import { t } from "../../strings.js";
import { settled, whoChanged } from "./conflict.js";
import { EditQueue } from "./queue.js";
import { UndoStack } from "./undo.js";

/** Of more a sentence says how many they are. */
const MOST_NAMES = 10;

export class Asking {
  #host;
  #queue;
  undoable;

  /**
   * `queue` (EditQueue) has what is on its way. `host`: root (for dialogs), say(text), nameOf(object), undoable(stack), and
   * refresh(); `known` is what UndoStack begins with.
   */
  constructor(queue, host, known) {
    this.#host = host;
    this.#queue = queue;
    this.undoable = new UndoStack(known, () => host.undoable(this.undoable));
  }

  /**
   * Asks for `actions` by somebody who saw `seen` [{type, id, version}]; `draw(graph)` shows it meanwhile. Gives
   * {saved, changeSet?, message?, gone?}; where it is not done `quietly`, the message is said here.
   */
  async perform({ actions, seen = [], draw }, { quietly = false } = {}) {
    const answer = await this.#attempt({ actions, seen, draw });
    if (answer.message && !quietly) this.#host.say(answer.message);
    return answer;
  }

  async undo() {
    await this.#queue.settled();
    await this.undoable.undo((id) => this.#rollback(id, t("Undone.")));
  }

  async redo() {
    await this.#queue.settled();
    await this.undoable.redo((id) => this.#rollback(id, t("Done again.")));
  }

  #attempt(asked) {
    return unlessRefused(async () => {
      const changeSet = await this.#queue.add(asked);
      this.undoable.did(changeSet.id);
      return { saved: true, changeSet };
    }, (refusal) => {
      if (refusal.code === "conflict") return this.#settle(refusal, asked);
      return { saved: false, message: sentenceOf(refusal) };
    });
  }

  async #settle(refusal, asked) {
    const { conflicts } = refusal;
    await this.#host.refresh();
    if (conflicts.some(({ field, found }) => field === "" && found === null)) {
      const message = t("{person} deleted this meanwhile.", { person: whoChanged(conflicts) });
      return { saved: false, gone: true, message };
    }
    const decided = await settled(this.#host.root, conflicts, unnamed(refusal, conflicts), asked, this.#host.nameOf);
    if (!decided) return { saved: false };
    return decided.actions.length ? this.#attempt(decided) : { saved: true };
  }

  /** The id of the change set that takes another one back; null where none can, undefined where it may be tried again. */
  async #rollback(id, said) {
    try {
      const changeSet = await this.#queue.add({ takesBack: id });
      this.#host.say(said);
      return changeSet.id;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.passing || error.status === 401) {
        this.#host.say(sentenceOf(error));
        return undefined;
      }
      await this.#host.refresh();
      const told = error.conflicts.slice(0, MOST_NAMES);
      const rest = unnamed(error, told);
      const more = rest > 0 ? [t("and {count} more", { count: rest })] : [];
      const names = listed([...told.map(({ label, object }) => label || this.#host.nameOf(object)), ...more]);
      const person = listed(told.map(({ changedBy, by }) => changedBy || by || t("somebody")));
      const why = names ? t("{person} changed it since: {names}.", { person, names }) : sentenceOf(error);
      this.#host.say(t("This cannot be taken back as a whole. {why} The history can take back parts of it.", { why }));
      return null;
    }
  }
}

/** How many conflicts a refusal has besides these. */
function unnamed({ body, conflicts }, told) {
  return (body.conflictCount ?? conflicts.length) - told.length;
}

function listed(texts) {
  return [...new Set(texts)].join(", ");
}

function sentenceOf(error) {
  const [first] = Object.values(error.errors);
  return first?.[0] ?? error.message;
}
