import { createHash } from 'node:crypto';
import type { Kit, Pattern } from '../../module-api.ts';
import { limits } from './limits.ts';

/** Patterns of which this process knows that they have their vectors. */
const known = new WeakSet<Pattern>();

/** Gives vectors to patterns that have none yet, a few at a time. */
export async function keepVectors(kit: Kit<unknown>): Promise<void> {
  const { source, why } = kit.embed.state();
  if (source === 'off' || why === 'missing') return;
  const open = await kit.patterns.open();
  const unknown = open
    .filter((one) => one.trigger.text !== '' && !known.has(one))
    .slice(0, limits.vectorsAtOnce);
  if (unknown.length === 0) return;
  const marked = unknown.map((pattern) => ({
    pattern,
    key: `vector/${pattern.id}`,
    mark: createHash('sha256').update(`${source}\n${pattern.trigger.text}`).digest('base64url'),
  }));
  const stored = await Promise.all(marked.map(({ key }) => kit.store.get(key)));
  const missing = marked.filter(({ mark }, at) => stored[at]?.value !== mark);
  for (const { pattern } of marked) if (!missing.some((one) => one.pattern === pattern)) known.add(pattern);
  if (missing.length === 0) return;
  const { vectors } = await kit.embed.many(missing.map(({ pattern }) => pattern.trigger.text));
  for (const [at, vector] of vectors?.entries() ?? []) {
    const one = missing[at];
    if (one === undefined) continue;
    const { why: not } = await kit.vectors.add({
      id: one.pattern.id,
      vector,
      ttlSeconds: limits.vectorLifeSeconds,
    });
    if (not !== undefined) return;
    await kit.store.put(one.key, one.mark);
    known.add(one.pattern);
  }
}
