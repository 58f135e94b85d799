import { createHash } from 'node:crypto';
import { type Kit, Lru, type Pattern, vectorPartOf } from '../../module-api.ts';
import { limits } from './limits.ts';

/** Of a tenant, patterns of which this process knows that they have their vectors, with what these were made of. */
type Known = Map<string, string>;

/** Gives vectors to patterns that have none yet, a few at a time. */
export class PatternVectors {
  readonly #known = new Lru<Known>(limits.indexesMax);
  /** Lists that have nothing to be done about them. */
  readonly #done = new WeakSet<readonly Pattern[]>();

  async keep(kit: Kit<unknown>): Promise<void> {
    const { source, why } = kit.embed.state();
    if (source === 'off' || why === 'missing') return;
    const open = await kit.patterns.open();
    if (this.#done.has(open)) return;
    const known = this.#known.get(kit.scope) ?? new Map<string, string>();
    this.#known.set(kit.scope, known);
    const waiting = open.filter(
      (one) => one.trigger.text !== '' && known.get(one.id) !== markOf(one, source),
    );
    if (waiting.length === 0) {
      this.#done.add(open);
      const ids = new Set(open.map(({ id }) => id));
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
      return;
    }
    const [first] = waiting;
    const part = vectorPartOf(first?.scope ?? null);
    const some = waiting.filter(({ scope }) => vectorPartOf(scope) === part).slice(0, limits.vectorsAtOnce);
    await keepSome(some, { part, source, known, kit });
  }
}

/** Patterns of one part. */
async function keepSome(
  some: readonly Pattern[],
  { part, source, known, kit }: { part: string; source: string; known: Known; kit: Kit<unknown> },
): Promise<void> {
  const there = await kit.vectors.data(
    some.map(({ id }) => id),
    part,
  );
  if (there === undefined) return;
  for (const one of some)
    if (there.get(one.id) === markOf(one, source)) known.set(one.id, markOf(one, source));
  const missing = some.filter((one) => there.get(one.id) !== markOf(one, source));
  if (missing.length === 0) return;
  const { vectors } = await kit.embed.many(missing.map(({ trigger }) => trigger.text));
  for (const [at, vector] of vectors?.entries() ?? []) {
    const one = missing[at];
    if (one === undefined) continue;
    const data = markOf(one, source);
    const { why } = await kit.vectors.add({
      id: one.id,
      vector,
      part,
      data,
      ttlSeconds: limits.vectorLifeSeconds,
    });
    if (why !== undefined) return;
    known.set(one.id, data);
  }
}

const marks = new WeakMap<Pattern, string>();

/** What a vector is made of. */
function markOf(pattern: Pattern, source: string): string {
  const before = marks.get(pattern);
  if (before?.startsWith(`${source} `)) return before;
  const { scope, trigger } = pattern;
  const digest = createHash('sha256')
    .update(`${vectorPartOf(scope)}\n${trigger.text}`)
    .digest('base64url');
  const mark = `${source} ${digest}`;
  marks.set(pattern, mark);
  return mark;
}
