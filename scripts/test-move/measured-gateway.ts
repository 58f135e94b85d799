import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';

/** The line of the log that says where a gateway listens. */
const listening = z.object({ url: z.url() });
const importAnswer = z.object({
  sections: z.array(z.object({ section: z.string(), added: z.int(), refused: z.int() })),
});

/** So many calls fill the caches of the database and let V8's young generation grow, as any load does. */
const usualCalls = 10_000;
const callersAtOnce = 16;

/** A local gateway in a process of its own, whose memory Linux watches. */
export class MeasuredGateway implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #url: string;

  static async start(environment: Readonly<Record<string, string>>): Promise<MeasuredGateway> {
    const program = join(import.meta.dirname, '..', '..', 'bin', 'weir.js');
    const child = spawn(process.execPath, [program, 'serve'], {
      cwd: environment.WEIR_DATA_DIR,
      env: { PATH: process.env.PATH, PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let printed = '';
    let hasStarted = false;
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      if (hasStarted) return;
      printed += piece;
      const line = printed.split('\n').find((text) => text.includes('Weir is listening'));
      if (line === undefined) return;
      hasStarted = true;
      resolve(listening.parse(JSON.parse(line)).url);
    });
    child.once('exit', () => reject(new Error(`the gateway did not start: ${printed}`)));
    return new MeasuredGateway(child, await promise);
  }

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  /** Calls of the usual kind, after which it rests. */
  async serveCalls(): Promise<void> {
    const body = JSON.stringify({
      ...{ model: 'demo-1', max_tokens: 50 },
      messages: [{ role: 'user', content: 'Hello there. '.repeat(20) }],
    });
    const callOneAfterTheOther = async () => {
      for (let made = 0; made < usualCalls / callersAtOnce; made++) {
        const response = await fetch(`${this.#url}/v1/messages`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
        });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`a call failed with ${response.status}`);
      }
    };
    await Promise.all(Array.from({ length: callersAtOnce }, callOneAfterTheOther));
  }

  async export(file: string): Promise<void> {
    const { body } = await fetch(`${this.#url}/v1/export`);
    await pipeline(body ?? [], createWriteStream(file));
  }

  /** What was added and refused, by section. */
  async import(file: string): Promise<string> {
    const response = await fetch(`${this.#url}/v1/import`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/x-weir-export' } },
      body: await openAsBlob(file),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the import failed with ${response.status}: ${text}`);
    const { sections } = importAnswer.parse(JSON.parse(text));
    return sections.map(({ section, added, refused }) => `${section} ${added}/${refused}`).join(', ');
  }

  /** Resident memory in MB: now, and the highest since `forgetPeak`. */
  get memory(): { readonly now: number; readonly peak: number } {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1000;
    return { now: read('VmRSS'), peak: read('VmHWM') };
  }

  forgetPeak(): void {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5');
  }

  /** Seconds of CPU since the start. */
  get cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
