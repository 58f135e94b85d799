import { limits } from '../kernel/limits.ts';
import type { WhyNoVectors } from '../kernel/ports/embeddings.ts';
import type { ModelFiles } from './model-files.ts';
import { ModelProcess, restMs } from './model-process.ts';
import type { ModelAnswer, ModelQuestion, ModelsHere, Said } from './model-questions.ts';

interface LocalModelsParts {
  /** Looked for with the first question; undefined where there are none. */
  find(): ModelFiles | undefined;
  /** Told when the process fails. */
  onTrouble?(how: string): void;
}

interface Waiting {
  readonly question: ModelQuestion;
  /** What it will take, as far as can be told from its length. */
  readonly costMs: number;
  isOver: boolean;
  settle(answer: ModelAnswer): void;
}

interface Working extends Waiting {
  readonly sentAtMs: number;
}

type Life =
  | { readonly is: 'idle' }
  | { readonly is: 'starting' | 'ready'; readonly process: ModelProcess; readonly sinceMs: number }
  | { readonly is: 'resting'; readonly untilMs: number; readonly why: WhyNoVectors }
  | { readonly is: 'closed' };

/** Asks the models in a process of their own, which is started with the first question and again when it fails. */
export class LocalModels implements ModelsHere {
  readonly #parts: LocalModelsParts;
  #files: ModelFiles | 'missing' | undefined;
  #life: Life = { is: 'idle' };
  #failures = 0;
  #lastId = 0;
  /** Calls go before work that nobody waits for. */
  #urgent: Waiting[] = [];
  #patient: Waiting[] = [];
  readonly #working = new Map<number, Working>();
  #watch: NodeJS.Timeout | undefined;
  #msPerCharacter = firstMsPerCharacter;
  #answered = 0;
  #busyMs = 0;

  constructor(parts: LocalModelsParts) {
    this.#parts = parts;
  }

  /** What operators want to know of it. */
  get figures() {
    return {
      isReady: this.#life.is === 'ready',
      waiting: this.#urgent.length + this.#patient.length + this.#working.size,
      answered: this.#answered,
      busyMs: this.#busyMs,
    };
  }

  /** Of the process, where there is one. */
  get pid(): number | undefined {
    return 'process' in this.#life ? this.#life.process.pid : undefined;
  }

  why(): WhyNoVectors | undefined {
    if (this.#found() === undefined) return 'missing';
    if (this.#life.is === 'closed') return 'down';
    return this.#life.is === 'resting' && performance.now() < this.#life.untilMs ? this.#life.why : undefined;
  }

  ask(question: ModelQuestion, deadlineMs: number): Promise<ModelAnswer> {
    const why = this.#refusal(deadlineMs);
    if (why !== undefined) return Promise.resolve({ why });
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiting.settle({ why: 'late' }), deadlineMs);
      const waiting: Waiting = {
        question,
        costMs: this.#costMs(question),
        isOver: false,
        settle(answer) {
          waiting.isOver = true;
          clearTimeout(timer);
          resolve(answer);
        },
      };
      (isPatient(deadlineMs) ? this.#patient : this.#urgent).push(waiting);
      this.#send();
    });
  }

  async close(): Promise<void> {
    const life = this.#life;
    this.#life = { is: 'closed' };
    this.#refuseAll('down');
    if ('process' in life) await life.process.kill();
  }

  /** Also starts the process, where it could be running. */
  #refusal(deadlineMs: number): WhyNoVectors | undefined {
    const why = this.why();
    if (why !== undefined) return why;
    if (this.#life.is === 'idle' || this.#life.is === 'resting') this.#start();
    const patient = isPatient(deadlineMs);
    if (this.#life.is === 'starting' && !patient) return 'starting';
    if (this.figures.waiting >= limits.embedderWaitingMax) return 'busy';
    return !patient && this.#backlogMs() > limits.embedderBacklogMs ? 'busy' : undefined;
  }

  #found(): ModelFiles | undefined {
    this.#files ??= this.#parts.find() ?? 'missing';
    return this.#files === 'missing' ? undefined : this.#files;
  }

  #start(): void {
    const files = this.#found();
    if (files === undefined) return;
    const process = new ModelProcess({
      files,
      onSaid: (said) => this.#hear(said),
      onEnd: (how) => this.#ended(process, how),
    });
    this.#life = { is: 'starting', process, sinceMs: performance.now() };
    this.#watchOver();
  }

  #hear(said: Said): void {
    const life = this.#life;
    if (!('process' in life)) return;
    if ('ready' in said) {
      this.#life = { is: 'ready', process: life.process, sinceMs: performance.now() };
      this.#send();
    } else if ('unusable' in said) {
      this.#rest(limits.embedderUnusableMs, 'missing', said.unusable);
      void life.process.kill();
    } else this.#answer(said);
  }

  #answer(said: Extract<Said, { readonly id: number }>): void {
    const working = this.#working.get(said.id);
    this.#working.delete(said.id);
    this.#send();
    if (working === undefined) return;
    if ('fault' in said) {
      this.#parts.onTrouble?.(said.fault);
      working.settle({ why: 'down' });
      return;
    }
    this.#answered++;
    this.#busyMs += said.tookMs;
    const perCharacter = said.tookMs / Math.max(readCharacters(working.question), 1);
    this.#msPerCharacter += (Math.min(perCharacter, firstMsPerCharacter * 4) - this.#msPerCharacter) / 32;
    working.settle(said.answer);
  }

  #send(): void {
    if (this.#life.is !== 'ready') return;
    while (this.#working.size < limits.embedderInFlight) {
      // Of what nobody waits for one at a time: a call that comes now waits for no more than that.
      const next = this.#urgent.shift() ?? (this.#working.size === 0 ? this.#patient.shift() : undefined);
      if (next === undefined) return;
      if (next.isOver) continue;
      const id = ++this.#lastId;
      this.#working.set(id, Object.assign(next, { sentAtMs: performance.now() }));
      this.#life.process.say({ id, question: next.question });
    }
  }

  #ended(process: ModelProcess, how: string): void {
    const life = this.#life;
    if (!('process' in life) || life.process !== process) return;
    const ranMs = performance.now() - life.sinceMs;
    this.#failures = life.is === 'ready' && ranMs > limits.embedderSteadyMs ? 1 : this.#failures + 1;
    this.#rest(restMs(this.#failures), 'down', how);
  }

  #rest(forMs: number, why: WhyNoVectors, how: string): void {
    this.#life = { is: 'resting', untilMs: performance.now() + forMs, why };
    this.#refuseAll(why);
    this.#parts.onTrouble?.(how);
  }

  #refuseAll(why: WhyNoVectors): void {
    clearInterval(this.#watch);
    const all = [...this.#working.values(), ...this.#urgent, ...this.#patient];
    this.#working.clear();
    this.#urgent = [];
    this.#patient = [];
    for (const waiting of all) waiting.settle({ why });
  }

  /** A process that hangs is as good as none. */
  #watchOver(): void {
    clearInterval(this.#watch);
    this.#watch = setInterval(() => {
      const life = this.#life;
      if (!('process' in life)) return;
      const nowMs = performance.now();
      const [oldest] = this.#working.values();
      const hangs =
        life.is === 'starting'
          ? nowMs - life.sinceMs > limits.embedderStartMs
          : oldest !== undefined && nowMs - oldest.sentAtMs > limits.embedderStuckMs;
      if (hangs) void life.process.kill();
    }, limits.embedderStuckMs / 4).unref();
  }

  #backlogMs(): number {
    let sum = 0;
    for (const { costMs } of this.#working.values()) sum += costMs;
    for (const { isOver, costMs } of this.#urgent) if (!isOver) sum += costMs;
    return sum;
  }

  #costMs(question: ModelQuestion): number {
    return readCharacters(question) * this.#msPerCharacter;
  }
}

/** Who can wait for a start can wait for others, too. */
function isPatient(deadlineMs: number): boolean {
  return deadlineMs >= limits.embedderPatientMs;
}

/** Two windows of 126 tokens are the most that is read of a text, and a token has about five characters. */
const readCharactersMax = 2 * 126 * 5;
/** A token takes a third of a millisecond. */
const firstMsPerCharacter = 0.08;

function readCharacters(question: ModelQuestion): number {
  if (question.model === 'judge') return question.before.length + question.now.length;
  return Math.min(question.text.length, readCharactersMax);
}
