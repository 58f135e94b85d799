// The model process. It exits when its channel to the gateway closes, and isolates the gateway from crashes of native code.

import type { ModelProcessMessage, ModelProcessRequest } from '../inference.ts';
import type { ModelFiles } from '../model-files.ts';
import { ModelRunner } from './model-runner.ts';
import { loadRuntime } from './runtime.ts';

// A signal to the whole process group is meant for the gateway.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

const modelRunner = await loadModels(JSON.parse(process.argv[2] ?? ''));
if (modelRunner !== undefined) {
  let last = Promise.resolve();
  process.on('message', (request: ModelProcessRequest) => {
    last = last.then(() => handleRequest(modelRunner, request));
  });
  sendMessage({ ready: true });
}

async function loadModels(files: ModelFiles): Promise<ModelRunner | undefined> {
  try {
    const runner = new ModelRunner(loadRuntime(), files);
    await runner.load('meaning');
    // The file of the model was read into this heap, and the runtime has a copy.
    globalThis.gc?.();
    return runner;
  } catch (thrown) {
    sendMessage({ unusable: messageOf(thrown) });
    return undefined;
  }
}

async function handleRequest(runner: ModelRunner, { id, question }: ModelProcessRequest): Promise<void> {
  const beganAtMs = performance.now();
  try {
    const answer = await runner.run(question);
    sendMessage({ id, answer, tookMs: performance.now() - beganAtMs });
  } catch (thrown) {
    sendMessage({ id, fault: messageOf(thrown) });
  }
}

function sendMessage(modelProcessMessage: ModelProcessMessage): void {
  // A closed channel has already ended this process.
  process.send?.(modelProcessMessage, () => undefined);
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
