import { isDeepStrictEqual } from 'node:util';

/** Gathers what went missing, unless the answer's header lists it. */
export class Report {
  readonly faults: string[] = [];
  readonly #dropped: readonly string[];

  constructor(dropped: readonly string[]) {
    this.#dropped = dropped;
  }

  /** Whether something with this in its name was said to be left out. */
  isListed(...names: readonly string[]): boolean {
    return this.#dropped.some((listed) => names.some((name) => listed.includes(fitForHeader(name))));
  }

  lost(what: string, detail: unknown, ...listedAs: readonly string[]): void {
    if (this.isListed(...listedAs)) return;
    this.faults.push(`${what}: ${(JSON.stringify(detail) ?? 'nothing').slice(0, 400)}`);
  }

  same(what: string, wanted: unknown, got: unknown, ...listedAs: readonly string[]): void {
    if (!isDeepStrictEqual(wanted, got)) this.lost(what, [wanted, got], ...listedAs);
  }

  /** Every text in its order, and nothing beside them but what marks them; blank ones say nothing. */
  texts(what: string, wanted: readonly string[], got: readonly string[], { mayHaveMore = false } = {}): void {
    let rest = got.join('\n\n');
    let beside = '';
    for (const text of wanted.filter((each) => each.trim() !== '')) {
      const found = rest.includes(text) ? text : asName(text);
      const at = rest.indexOf(found);
      if (at < 0) {
        this.lost(`${what} is missing`, [text, got]);
        return;
      }
      beside += `${rest.slice(0, at)} `;
      rest = rest.slice(at + found.length);
    }
    const more = (beside + rest).replace(marks, '').trim();
    if (more !== '' && !mayHaveMore) this.lost(`${what} that nobody wrote`, [more, wanted]);
  }
}

/** What a translator writes around texts that stand elsewhere in another format. */
const marks =
  /Returned by tool call \S+:|What this call returned follows( in the next message)?\.|Answer with JSON alone.*/g;

/** A title, where names may have no other letters. */
function asName(text: string): string {
  return text.replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim() || text;
}

function fitForHeader(name: string): string {
  return name.replace(/[^\w.:[\]/-]/g, '_').slice(0, 80);
}
