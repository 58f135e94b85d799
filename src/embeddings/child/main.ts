// The process that has the models. It ends with the channel to the gateway, however that ends; a crash of native code ends only it.

import type { ModelProcessMessage, ModelProcessRequest } from '../inference.ts';
import type { ModelFiles } from '../model-files.ts';
import { ModelRunner } from './model-runner.ts';
import { loadRuntime } from './runtime.ts';

// Whoever signals a whole group of processes means the gateway.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

const modelRunner = await loadModels(JSON.parse(process.argv[2] ?? ''));
if (modelRunner !== undefined) {
  let last = Promise.resolve();
  process.on('message', (asked: ModelProcessRequest) => {
    last = last.then(() => handleRequest(modelRunner, asked));
  });
  sendMessage({ ready: true });
}

async function loadModels(files: ModelFiles): Promise<ModelRunner | undefined> {
  try {
    const all = new ModelRunner(loadRuntime(), files);
    await all.load('meaning');
    // What the building left behind is a third of this process.
    globalThis.gc?.();
    return all;
  } catch (thrown) {
    sendMessage({ unusable: messageOf(thrown) });
    return undefined;
  }
}

async function handleRequest(all: ModelRunner, { id, question }: ModelProcessRequest): Promise<void> {
  const beganAtMs = performance.now();
  try {
    const answered = await all.run(question);
    sendMessage({ id, answer: answered, tookMs: performance.now() - beganAtMs });
  } catch (thrown) {
    sendMessage({ id, fault: messageOf(thrown) });
  }
}

function sendMessage(modelProcessMessage: ModelProcessMessage): void {
  // A channel that is closed has ended this process already.
  process.send?.(modelProcessMessage, () => undefined);
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
