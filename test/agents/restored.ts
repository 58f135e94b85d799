import type { SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectsOf } from '../../src/wire/json-values.ts';

/** What the user demands in the first message, and no summary mentions. */
export const rule = 'Never write into the folder locks.';

const mark = '<before-compaction>';

/** Checks that `compaction-bridge` puts back once what a compaction lost, and leaves it where it is. */
export class RestorationCheck {
  /** The restored text and the index of its message, by the number of compactions. */
  readonly #starts = new Map<number, string>();

  faultIn({ json, bytes }: SeenRequest, compactions: number): string | undefined {
    const text = bytes.toString();
    const times = text.split(mark).length - 1;
    if (times !== Math.min(1, compactions))
      return `something was restored ${times} times after ${compactions} compactions`;
    if (compactions === 0) return undefined;
    if (!text.includes(rule)) return `the rule is missing after ${compactions} compactions`;
    const messages = objectsOf(json.messages ?? json.input ?? json.contents).map((message) =>
      JSON.stringify(message),
    );
    const at = messages.findIndex((message) => message.includes(mark));
    const start = `${at} ${/<before-compaction>.*<.before-compaction>/.exec(messages[at] ?? '')?.[0]}`;
    const before = this.#starts.get(compactions);
    this.#starts.set(compactions, start);
    return before === undefined || before === start ? undefined : 'the restored text has moved or changed';
  }
}
