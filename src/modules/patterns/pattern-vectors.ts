import { createHash } from 'node:crypto';
import { type Kit, Lru } from '../../module-api.ts';
import { limits } from './limits.ts';
import type { Pattern, Patterns } from './pattern.ts';
import { vectorPartitionOf } from './vector-partition.ts';

/** The patterns of a tenant that have vectors, as far as this process knows, with digests of the embedded texts. */
type EmbeddedDigests = Map<string, string>;

/** Embeds patterns that have no vectors yet, a few at a time. */
export class PatternVectors {
  readonly #embedded = new Lru<EmbeddedDigests>(limits.indexesMax);
  /** Lists whose patterns all have vectors. */
  readonly #finishedLists = new WeakSet<readonly Pattern[]>();

  async embedMissing(kit: Kit<unknown>, patterns: Patterns): Promise<void> {
    const { source, why } = kit.embeddings.state();
    if (source === 'off' || why === 'missing') return;
    const open = await patterns.listUnretired();
    if (this.#finishedLists.has(open)) return;
    const known = this.#embedded.get(kit.scope) ?? new Map<string, string>();
    this.#embedded.set(kit.scope, known);
    const waiting = open.filter(
      (one) => one.trigger.text !== '' && known.get(one.id) !== vectorDigestOf(one, source),
    );
    if (waiting.length === 0) {
      this.#finishedLists.add(open);
      const ids = new Set(open.map(({ id }) => id));
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
      return;
    }
    const [first] = waiting;
    const part = vectorPartitionOf(first?.scope ?? null);
    const some = waiting
      .filter(({ scope }) => vectorPartitionOf(scope) === part)
      .slice(0, limits.vectorsAtOnce);
    await embedBatch(some, { part, source, known, kit });
  }
}

/** Embeds patterns of one partition. */
async function embedBatch(
  some: readonly Pattern[],
  {
    part,
    source,
    known: embeddedDigests,
    kit,
  }: { part: string; source: string; known: EmbeddedDigests; kit: Kit<unknown> },
): Promise<void> {
  const there = await kit.vectors.data(
    some.map(({ id }) => id),
    part,
  );
  if (there === undefined) return;
  for (const one of some)
    if (there.get(one.id) === vectorDigestOf(one, source))
      embeddedDigests.set(one.id, vectorDigestOf(one, source));
  const missing = some.filter((one) => there.get(one.id) !== vectorDigestOf(one, source));
  if (missing.length === 0) return;
  const { vectors } = await kit.embeddings.many(missing.map(({ trigger }) => trigger.text));
  for (const [at, vector] of vectors?.entries() ?? []) {
    const one = missing[at];
    if (one === undefined) continue;
    const data = vectorDigestOf(one, source);
    const { why } = await kit.vectors.add({
      id: one.id,
      vector,
      part,
      data,
      ttlSeconds: limits.vectorLifeSeconds,
    });
    if (why !== undefined) return;
    embeddedDigests.set(one.id, data);
  }
}

const vectorDigests = new WeakMap<Pattern, string>();

/** A digest of what a vector is made from. */
function vectorDigestOf(pattern: Pattern, source: string): string {
  const before = vectorDigests.get(pattern);
  if (before?.startsWith(`${source} `)) return before;
  const { scope, trigger } = pattern;
  const digest = createHash('sha256')
    .update(`${vectorPartitionOf(scope)}\n${trigger.text}`)
    .digest('base64url');
  const mark = `${source} ${digest}`;
  vectorDigests.set(pattern, mark);
  return mark;
}
