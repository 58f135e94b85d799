import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { limits } from '../kernel/limits.ts';
import type { ModelProcessMessage, ModelProcessRequest } from './inference.ts';
import type { ModelFiles } from './model-files.ts';

interface ModelProcessParts {
  readonly files: ModelFiles;
  onMessage(modelProcessMessage: ModelProcessMessage): void;
  /** Once, however it ended. */
  onExit(how: string): void;
}

/** The process that has the models, as the gateway sees it. It ends with us, also where we are killed: its channel closes. */
export class ModelProcess {
  readonly #child: ChildProcess;
  readonly #exited = Promise.withResolvers<void>();

  constructor({ files, onMessage, onExit }: ModelProcessParts) {
    this.#child = fork(fileURLToPath(new URL('./child/main.ts', import.meta.url)), [JSON.stringify(files)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // New objects are few: room for more would only be held. What building the graphs leaves is given back at once.
      execArgv: ['--expose-gc', '--max-semi-space-size=1', '--disable-warning=ExperimentalWarning'],
      env: { ...inheritedEnvironment(), ...mallocSettings },
    });
    this.#child.on('message', (modelProcessMessage: ModelProcessMessage) => onMessage(modelProcessMessage));
    this.#child.on('error', (cause) => this.#handleExit(onExit, cause.message));
    this.#child.on('exit', (code, signal) => this.#handleExit(onExit, signal ?? `code ${code}`));
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(modelProcessRequest: ModelProcessRequest): void {
    // A channel that is broken is told of by its end.
    this.#child.send(modelProcessRequest, () => undefined);
  }

  kill(): Promise<void> {
    // Whoever waits for its end may have nothing else to do.
    this.#child.ref();
    this.#child.kill('SIGKILL');
    return this.#exited.promise;
  }

  #handleExit(onEnd: (how: string) => void, how: string): void {
    this.#child.removeAllListeners('exit').on('error', () => undefined);
    this.#exited.resolve();
    onEnd(how);
  }
}

/** It needs no secrets, so it gets none. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const needed = ['PATH', 'LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE', 'SystemRoot'];
  return Object.fromEntries(needed.map((name) => [name, process.env[name]]));
}

/**
 * For glibc: what building leaves goes back to the system when it is freed, which is a fifth of the process. What a run at 62 tokens
 * takes stays: asking the system for it anew each time is a tenth of the run.
 */
const mallocSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: String(2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(2 ** 21),
};

/** How long it rests after so many failures in a row. */
export function restartDelayMs(failures: number): number {
  return Math.min(limits.embedderRestMsMin * 2 ** (failures - 1), limits.embedderRestMsMax);
}
