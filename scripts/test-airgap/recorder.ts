import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Namespace } from './namespace.ts';

/** Every packet from the namespace that isn't for one of these ports of the machine outside. How hosts find each other on the cable doesn't count. */
export class Recorder {
  readonly #child: ChildProcess;
  #lines: string[] = [];

  static async start({ device, outside }: Namespace, ports: readonly number[]): Promise<Recorder> {
    const allowed = ports.map((port) => `tcp dst port ${port}`).join(' or ');
    const filter = `not arp and not icmp6 and not (dst host ${outside} and (${allowed}))`;
    const child = spawn('tcpdump', ['-i', device, '-Q', 'in', '-nn', '-l', '-t', filter], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const recorder = new Recorder(child);
    for await (const line of createInterface({ input: child.stderr }))
      if (line.startsWith('listening on')) break;
    child.stderr.resume();
    return recorder;
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout === null) throw new Error('tcpdump has no output');
    createInterface({ input: child.stdout }).on('line', (line) => this.#lines.push(line));
  }

  /** The packets since the last time. The kernel hands them over within a second. */
  async take(): Promise<readonly string[]> {
    await sleep(2000);
    return this.#lines.splice(0);
  }

  async stop(): Promise<void> {
    this.#child.kill();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}
