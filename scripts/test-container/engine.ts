import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** What an image says of how it is run, in Docker's words. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

export interface Inspected {
  readonly Architecture: string;
  readonly Size: number;
  readonly Config: ImageConfig;
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

/** Podman and Buildah on a storage of their own. */
export class Engine {
  readonly #storage: readonly string[];

  constructor(folder: string) {
    this.#storage = [
      '--root',
      join(folder, 'root'),
      '--runroot',
      join(folder, 'run'),
      '--storage-driver',
      'vfs',
    ];
  }

  podman(args: readonly string[]): Promise<string> {
    return run('podman', [...this.#storage, '--cgroup-manager', 'cgroupfs', '--runtime', 'crun', ...args]);
  }

  buildah(args: readonly string[]): Promise<string> {
    return run('buildah', [...this.#storage, ...args]);
  }

  /** In one layer a stage: this storage copies all of a layer for the next. */
  async build(tag: string, context: string, args: Readonly<Record<string, string>>): Promise<void> {
    const given = Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
    const how = ['--isolation', 'chroot', '--network', 'host', '--format', 'docker', '--layers=false'];
    await this.podman(['build', ...how, ...given, '--tag', tag, context]);
  }

  async inspect(image: string): Promise<Inspected> {
    const [inspected] = JSON.parse(await this.podman(['image', 'inspect', image]));
    return inspected;
  }
}

/** What it printed; rejects with what it said where it fails. */
export async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute(command, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
