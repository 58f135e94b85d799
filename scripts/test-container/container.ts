import { execFileSync } from 'node:child_process';
import { freePort } from '../test-servers/server-process.ts';
import type { Engine } from './engine.ts';

export interface ContainerStart {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A container as docs/guides/deploying.md says: without privileges, its root read-only; on this machine's network. */
export class Container {
  readonly url: string;
  readonly #engine: Engine;
  readonly #id: string;

  static async start(engine: Engine, { image, environment = {} }: ContainerStart): Promise<Container> {
    const port = await freePort();
    const variables = Object.entries({ ...environment, HOST: '127.0.0.1', PORT: String(port) });
    const id = await engine.podman([
      ...[
        'run',
        '--detach',
        '--read-only',
        '--read-only-tmpfs=false',
        '--tmpfs',
        '/tmp',
        '--cap-drop',
        'all',
      ],
      ...['--security-opt', 'no-new-privileges', '--network', 'host', '--cgroups', 'disabled', ...ulimits()],
      ...variables.flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      image,
    ]);
    const container = new Container(engine, id.trim(), `http://127.0.0.1:${port}`);
    await container.#untilReady();
    return container;
  }

  private constructor(engine: Engine, id: string, url: string) {
    this.#engine = engine;
    this.#id = id;
    this.url = url;
  }

  /** Rejects where the command fails. */
  run(command: readonly string[]): Promise<string> {
    return this.#engine.podman(['exec', this.#id, ...command]);
  }

  /** Rejects where the image's own check says that it is not healthy. */
  checkHealth(): Promise<string> {
    return this.#engine.podman(['healthcheck', 'run', this.#id]);
  }

  /** By the image's signal; the exit code. */
  async stop(): Promise<number> {
    await this.#engine.podman(['stop', '--time', '70', this.#id]);
    return Number(await this.#engine.podman(['wait', this.#id]));
  }

  async #untilReady(): Promise<void> {
    const until = performance.now() + 120_000;
    while (!(await this.#isReady())) {
      const state = await this.#engine.podman(['inspect', '--format', '{{.State.Status}}', this.#id]);
      if (state.trim() === 'exited' || performance.now() > until)
        throw new Error(`the container is not ready: ${await this.#engine.podman(['logs', this.#id])}`);
    }
  }

  async #isReady(): Promise<boolean> {
    return fetch(`${this.url}/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

/** Podman would ask for more than a machine may allow. */
function ulimits(): readonly string[] {
  const most = (flag: string) => execFileSync('sh', ['-c', `ulimit -H${flag}`], { encoding: 'utf8' }).trim();
  return ['--ulimit', `nofile=${most('n')}:${most('n')}`, '--ulimit', 'nproc=4096:4096'];
}
