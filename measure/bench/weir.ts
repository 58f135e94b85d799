import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from './child.ts';
import { answering, freePort } from './ports.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Gateway extends AsyncDisposable {
  readonly child: Child;
  readonly origin: string;
}

export interface WeirSettings {
  /** Address of the provider. */
  readonly upstream: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
  /** Of which checkout; this one unless said otherwise. */
  readonly folder?: string;
}

/** The gateway as its user starts it, with its log on, on a data folder of its own, in front of this upstream. */
export async function startWeir({
  upstream,
  environment = {},
  nodeOptions = [],
  folder = join(import.meta.dirname, '..', '..'),
}: WeirSettings): Promise<Gateway> {
  build(folder);
  const port = await freePort();
  const child = startChild({
    file: join(folder, 'bin', 'weir.js'),
    args: ['serve'],
    nodeOptions,
    environment: {
      PORT: String(port),
      HOST: '127.0.0.1',
      WEIR_DATA_DIR: temporaryFolder('weir-bench-'),
      WEIR_OPENAI_BASE_URL: `${upstream}/v1`,
      WEIR_ANTHROPIC_BASE_URL: upstream,
      OPENAI_API_KEY: 'sk-bench',
      ANTHROPIC_API_KEY: 'sk-ant-bench',
      ...environment,
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  await answering(child, `${origin}/health`);
  return { child, origin, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

/** What people have is built; where a source has changed since, a gateway would run from those. */
function build(folder: string): void {
  const builder = join(folder, 'bin', 'build-program.js');
  if (existsSync(builder)) execFileSync(process.execPath, [builder]);
}
