// Counts tokens on its own thread: loading the vocabulary takes a quarter of a second, and so may a long text.
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { limits } from '../limits.ts';
import type { CountRequest, CountResult } from './tokenizer.ts';

// Treats special tokens in the text as plain text instead of throwing.
const anyText = { disallowedSpecial: new Set<string>() };
const longRun = new RegExp(`\\S{${limits.tokenizedRunMax}}|\\s{${limits.tokenizedRunMax}}`, 'gu');

let loading: ReturnType<typeof load> | undefined;

parentPort?.on('message', ({ id, texts }: CountRequest) => {
  void count(texts).then((tokens) => parentPort?.postMessage({ id, tokens } satisfies CountResult));
});

/** Takes 60 MB, so not before there is something to count. */
async function load() {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base');
  setMergeCacheSize(limits.tokenizedWordsKept);
  return countTokens;
}

/** Yields now and then, so that a long count doesn't delay short ones. */
async function count(texts: readonly string[]): Promise<number> {
  loading ??= load();
  const countTokens = await loading;
  let tokens = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at += limits.tokenizedAtOnceChars) {
      for (const piece of cutLongRuns(text.slice(at, at + limits.tokenizedAtOnceChars)))
        tokens += countTokens(piece, anyText);
      await setImmediate();
    }
  }
  return tokens;
}

/** Cuts overlong words and gaps: merging takes quadratic time in their length. */
function* cutLongRuns(text: string): Generator<string> {
  let from = 0;
  for (const { index, 0: run } of text.matchAll(longRun)) {
    const to = index + run.length;
    yield text.slice(from, to);
    from = to;
  }
  if (from < text.length) yield text.slice(from);
}
