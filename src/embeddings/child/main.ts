// The process that has the models. It ends with the channel to the gateway, however that ends; a crash of native code ends only it.
import type { ModelFiles } from '../model-files.ts';
import type { Numbered, Said } from '../model-questions.ts';
import { Models } from './models.ts';
import { loadRuntime } from './runtime.ts';

// Whoever signals a whole group of processes means the gateway.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

const models = await opened(JSON.parse(process.argv[2] ?? ''));
if (models !== undefined) {
  let last = Promise.resolve();
  process.on('message', (asked: Numbered) => {
    last = last.then(() => answer(models, asked));
  });
  say({ ready: true });
}

async function opened(files: ModelFiles): Promise<Models | undefined> {
  try {
    const all = new Models(loadRuntime(), files);
    await all.load('meaning');
    // What the building left behind is a third of this process.
    globalThis.gc?.();
    return all;
  } catch (thrown) {
    say({ unusable: messageOf(thrown) });
    return undefined;
  }
}

async function answer(all: Models, { id, question }: Numbered): Promise<void> {
  const beganAtMs = performance.now();
  try {
    const answered = await all.answer(question);
    say({ id, answer: answered, tookMs: performance.now() - beganAtMs });
  } catch (thrown) {
    say({ id, fault: messageOf(thrown) });
  }
}

function say(said: Said): void {
  // A channel that is closed has ended this process already.
  process.send?.(said, () => undefined);
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
