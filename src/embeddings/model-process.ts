import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ModelProcessMessage, ModelProcessRequest } from './inference.ts';
import { limits } from './limits.ts';
import type { ModelFiles } from './model-files.ts';

interface ModelProcessParts {
  readonly files: ModelFiles;
  onMessage(modelProcessMessage: ModelProcessMessage): void;
  /** Called once, for any kind of exit. */
  onExit(how: string): void;
}

/** The gateway's handle on the model process, which exits with the gateway, even a killed one, because its IPC channel closes. */
export class ModelProcess {
  readonly #child: ChildProcess;
  readonly #exited = Promise.withResolvers<void>();

  constructor({ files, onMessage, onExit }: ModelProcessParts) {
    this.#child = fork(fileURLToPath(new URL('./child/main.ts', import.meta.url)), [JSON.stringify(files)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Few objects are allocated, so the young generation can be small. The child collects garbage after loading the first model.
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
    // The exit handler reports a broken channel.
    this.#child.send(modelProcessRequest, () => undefined);
  }

  kill(): Promise<void> {
    // Keeps the event loop alive until the exit.
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

/** Passes on no secrets. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const needed = ['PATH', 'LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE', 'SystemRoot'];
  return Object.fromEntries(needed.map((name) => [name, process.env[name]]));
}

/**
 * For glibc: memory freed after loading a model returns to the system. The memory of a run at 62
 * tokens stays allocated: allocating it for each run takes a tenth of the run.
 */
const mallocSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: String(2 ** 20),
  MALLOC_TRIM_THRESHOLD_: String(2 ** 21),
};

/** The restart delay after this many consecutive failures. */
export function restartDelayMs(failures: number): number {
  return Math.min(limits.embedderRestMsMin * 2 ** (failures - 1), limits.embedderRestMsMax);
}
