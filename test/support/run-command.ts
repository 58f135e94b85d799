import type { TestContext } from 'node:test';
import { run } from '../../src/cli/run.ts';
import type { Environment } from '../../src/gateway/settings.ts';

export interface CommandResult {
  readonly code: number;
  /** On standard output. */
  readonly said: string;
  /** On standard error. */
  readonly complained: string;
}

/** Runs a command in this process: to start one takes longer than all that it does. One at a time. */
export async function runCommand(
  t: TestContext,
  args: readonly string[],
  environment: Environment = {},
): Promise<CommandResult> {
  const [lines, complaints]: [string[], string[]] = [[], []];
  const said = t.mock.method(console, 'log', (line: string) => void lines.push(`${line}\n`));
  const complained = t.mock.method(console, 'error', (line: string) => void complaints.push(`${line}\n`));
  try {
    const code = await run(args, environment);
    return { code, said: lines.join(''), complained: complaints.join('') };
  } finally {
    said.mock.restore();
    complained.mock.restore();
  }
}
