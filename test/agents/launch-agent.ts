import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Agent, AgentEnvironment } from './agents.ts';

export interface AgentProcess {
  /** All that the person saw, with the time at which it came. */
  readonly lines: readonly { readonly text: string; readonly atMs: number }[];
  readonly exitCode: number | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly timedOut: boolean;
}

export interface LaunchOptions {
  readonly agent: Agent;
  /** The folder that the agent was installed into. */
  readonly folder: string;
  readonly place: AgentEnvironment;
  readonly prompt: string;
  /** What it finds, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Runs an agent once, as a person would in a shell of their own, and ends it after a while. */
export async function launchAgent(launching: LaunchOptions): Promise<AgentProcess> {
  const { agent, folder, timeoutMs, prompt, place } = launching;
  const { environment, args, files } = agent.launch(place, prompt);
  for (const [path, text] of Object.entries({ ...files, ...launching.files })) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const bin = join(folder, 'node_modules', '.bin');
  const startedAtMs = Date.now();
  const child = spawn(join(bin, agent.command), args, {
    cwd: place.work,
    // Agents look for a Node, and some need a newer one than the machine's.
    env: {
      PATH: [dirname(process.execPath), bin, process.env.PATH].join(delimiter),
      HOME: place.home,
      TERM: 'dumb',
      NO_COLOR: '1',
      CI: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const lines: { text: string; atMs: number }[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => lines.push({ text: plain(chunk.toString()), atMs: Date.now() }));
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, timeoutMs);
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  return { lines, exitCode, startedAtMs, endedAtMs: Date.now(), timedOut };
}

/** Without colours and cursor movements. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what escape sequences begin with
  return text.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '');
}
