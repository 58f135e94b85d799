import type { EmbeddingFailureReason } from '../kernel/ports/embeddings.ts';
import type { InferenceClient, InferenceRequest, InferenceResult, ModelProcessMessage } from './inference.ts';
import { limits } from './limits.ts';
import type { ModelFiles } from './model-files.ts';
import { ModelProcess, restartDelayMs } from './model-process.ts';

interface LocalModelsParts {
  /** Called with the first request; undefined if they aren't installed. */
  findFiles(): ModelFiles | undefined;
  /** Called when the process or a request fails. */
  onFailure?(how: string): void;
  /** Called when the process is ready after a failure. */
  onRecovered?(): void;
}

interface PendingRequest {
  readonly question: InferenceRequest;
  /** The estimated duration, by text length. */
  readonly costMs: number;
  isSettled: boolean;
  settle(answer: InferenceResult): void;
}

interface RunningRequest extends PendingRequest {
  readonly sentAtMs: number;
}

type ProcessState =
  | { readonly is: 'idle' }
  | { readonly is: 'starting' | 'ready'; readonly process: ModelProcess; readonly sinceMs: number }
  | { readonly is: 'resting'; readonly untilMs: number; readonly why: EmbeddingFailureReason }
  | { readonly is: 'closed' };

/** Runs the models in a child process, which starts with the first request and restarts after failures. */
export class LocalModels implements InferenceClient {
  readonly #parts: LocalModelsParts;
  #files: ModelFiles | 'missing' | undefined;
  #state: ProcessState = { is: 'idle' };
  #failures = 0;
  #lastId = 0;
  /** Requests of calls go before background work. */
  #urgent: PendingRequest[] = [];
  #background: PendingRequest[] = [];
  readonly #running = new Map<number, RunningRequest>();
  #watchdog: NodeJS.Timeout | undefined;
  #msPerCharacter = firstMsPerCharacter;
  #completed = 0;
  #busyMs = 0;

  constructor(parts: LocalModelsParts) {
    this.#parts = parts;
  }

  /** Values for metrics. */
  get figures() {
    return {
      isReady: this.#state.is === 'ready',
      waiting: this.#urgent.length + this.#background.length + this.#running.size,
      answered: this.#completed,
      busyMs: this.#busyMs,
    };
  }

  get pid(): number | undefined {
    return 'process' in this.#state ? this.#state.process.pid : undefined;
  }

  unavailableReason(): EmbeddingFailureReason | undefined {
    if (this.#findFiles() === undefined) return 'missing';
    if (this.#state.is === 'closed') return 'down';
    return this.#state.is === 'resting' && performance.now() < this.#state.untilMs
      ? this.#state.why
      : undefined;
  }

  infer(question: InferenceRequest, deadlineMs: number): Promise<InferenceResult> {
    const why = this.#rejectionReason(deadlineMs);
    if (why !== undefined) return Promise.resolve({ why });
    return new Promise((resolve) => {
      const timer = setTimeout(() => pendingRequest.settle({ why: 'late' }), deadlineMs);
      const pendingRequest: PendingRequest = {
        question,
        costMs: this.#costMs(question),
        isSettled: false,
        settle(answer) {
          pendingRequest.isSettled = true;
          clearTimeout(timer);
          resolve(answer);
        },
      };
      (isBackground(deadlineMs) ? this.#background : this.#urgent).push(pendingRequest);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    const processState = this.#state;
    this.#state = { is: 'closed' };
    this.#failAll('down');
    if ('process' in processState) await processState.process.kill();
  }

  /** Also starts the process if it isn't running. */
  #rejectionReason(deadlineMs: number): EmbeddingFailureReason | undefined {
    const why = this.unavailableReason();
    if (why !== undefined) return why;
    if (this.#state.is === 'idle' || this.#state.is === 'resting') this.#start();
    const patient = isBackground(deadlineMs);
    if (this.#state.is === 'starting' && !patient) return 'starting';
    if (this.figures.waiting >= limits.embedderWaitingMax) return 'busy';
    return !patient && this.#backlogMs() > backlogMsMax(deadlineMs) ? 'busy' : undefined;
  }

  #findFiles(): ModelFiles | undefined {
    this.#files ??= this.#parts.findFiles() ?? 'missing';
    return this.#files === 'missing' ? undefined : this.#files;
  }

  #start(): void {
    const files = this.#findFiles();
    if (files === undefined) return;
    const process = new ModelProcess({
      files,
      onMessage: (modelProcessMessage) => this.#handleMessage(modelProcessMessage),
      onExit: (how) => this.#handleExit(process, how),
    });
    this.#state = { is: 'starting', process, sinceMs: performance.now() };
    this.#startWatchdog();
  }

  #handleMessage(modelProcessMessage: ModelProcessMessage): void {
    const processState = this.#state;
    if (!('process' in processState)) return;
    if ('ready' in modelProcessMessage) {
      this.#state = { is: 'ready', process: processState.process, sinceMs: performance.now() };
      if (this.#failures > 0) this.#parts.onRecovered?.();
      this.#dispatch();
    } else if ('unusable' in modelProcessMessage) {
      this.#backOff(limits.embedderUnusableMs, 'missing', modelProcessMessage.unusable);
      void processState.process.kill();
    } else this.#complete(modelProcessMessage);
  }

  #complete(message: Extract<ModelProcessMessage, { readonly id: number }>): void {
    const runningRequest = this.#running.get(message.id);
    this.#running.delete(message.id);
    this.#dispatch();
    if (runningRequest === undefined) return;
    if ('fault' in message) {
      this.#parts.onFailure?.(message.fault);
      runningRequest.settle({ why: 'down' });
      return;
    }
    this.#completed++;
    this.#busyMs += message.tookMs;
    const perCharacter = message.tookMs / Math.max(countReadCharacters(runningRequest.question), 1);
    this.#msPerCharacter += (Math.min(perCharacter, firstMsPerCharacter * 4) - this.#msPerCharacter) / 32;
    runningRequest.settle(message.answer);
  }

  #dispatch(): void {
    if (this.#state.is !== 'ready') return;
    while (this.#running.size < limits.embedderInFlight) {
      // Background work runs one at a time, so a new call waits for at most one request.
      const next = this.#urgent.shift() ?? (this.#running.size === 0 ? this.#background.shift() : undefined);
      if (next === undefined) return;
      if (next.isSettled) continue;
      const id = ++this.#lastId;
      this.#running.set(id, Object.assign(next, { sentAtMs: performance.now() }));
      this.#state.process.send({ id, question: next.question });
    }
  }

  #handleExit(process: ModelProcess, how: string): void {
    const processState = this.#state;
    if (!('process' in processState) || processState.process !== process) return;
    const ranMs = performance.now() - processState.sinceMs;
    this.#failures = processState.is === 'ready' && ranMs > limits.embedderSteadyMs ? 1 : this.#failures + 1;
    this.#backOff(restartDelayMs(this.#failures), 'down', how);
  }

  #backOff(forMs: number, why: EmbeddingFailureReason, how: string): void {
    this.#state = { is: 'resting', untilMs: performance.now() + forMs, why };
    this.#failAll(why);
    this.#parts.onFailure?.(how);
  }

  #failAll(why: EmbeddingFailureReason): void {
    clearInterval(this.#watchdog);
    const all = [...this.#running.values(), ...this.#urgent, ...this.#background];
    this.#running.clear();
    this.#urgent = [];
    this.#background = [];
    for (const pendingRequest of all) pendingRequest.settle({ why });
  }

  /** Kills a process that hangs. */
  #startWatchdog(): void {
    clearInterval(this.#watchdog);
    this.#watchdog = setInterval(() => {
      const processState = this.#state;
      if (!('process' in processState)) return;
      const nowMs = performance.now();
      const [oldest] = this.#running.values();
      const hangs =
        processState.is === 'starting'
          ? nowMs - processState.sinceMs > limits.embedderStartMs
          : oldest !== undefined && nowMs - oldest.sentAtMs > limits.embedderStuckMs;
      if (hangs) void processState.process.kill();
    }, limits.embedderStuckMs / 4).unref();
  }

  #backlogMs(): number {
    let sum = 0;
    for (const { costMs } of this.#running.values()) sum += costMs;
    for (const { isSettled, costMs } of this.#urgent) if (!isSettled) sum += costMs;
    return sum;
  }

  #costMs(question: InferenceRequest): number {
    return countReadCharacters(question) * this.#msPerCharacter;
  }
}

function backlogMsMax(deadlineMs: number): number {
  const { embedderBacklogMsMin, embedderBacklogMsMax } = limits;
  return Math.max(embedderBacklogMsMin, Math.min(deadlineMs / 3, embedderBacklogMsMax));
}

/** Work that can wait for the process to start also yields to calls. */
function isBackground(deadlineMs: number): boolean {
  return deadlineMs >= limits.embedderPatientMs;
}

/** A model reads at most two windows of 126 tokens, of about five characters each. */
const readCharactersMax = 2 * 126 * 5;
/** About a third of a millisecond per token. */
const firstMsPerCharacter = 0.08;

function countReadCharacters(question: InferenceRequest): number {
  if (question.model === 'judge') return question.before.length + question.now.length;
  const isWindow = question.model === 'entities' || question.model === 'injection';
  return Math.min(question.text.length, isWindow ? readCharactersMax / 2 : readCharactersMax);
}
