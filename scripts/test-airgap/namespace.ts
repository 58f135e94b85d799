import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';

/** A network namespace with one cable to this machine: its default route and its name server are at the other end. */
export class Namespace {
  readonly name = `weir-airgap-${process.pid}`;
  /** The end of the cable on this machine. */
  readonly device = `weir${process.pid}`.slice(0, 14);
  readonly outside = '10.213.77.1';
  readonly #inside = '10.213.77.2';

  constructor() {
    const inner = `${this.device}i`;
    ip('netns', 'add', this.name);
    try {
      ip('link', 'add', this.device, 'type', 'veth', 'peer', 'name', inner, 'netns', this.name);
      ip('address', 'add', `${this.outside}/24`, 'dev', this.device);
      ip('address', 'add', 'fd00:213:77::1/64', 'dev', this.device, 'nodad');
      ip('link', 'set', this.device, 'up');
      this.#ip('link', 'set', 'lo', 'up');
      this.#ip('address', 'add', `${this.#inside}/24`, 'dev', inner);
      this.#ip('address', 'add', 'fd00:213:77::2/64', 'dev', inner, 'nodad');
      this.#ip('link', 'set', inner, 'up');
      this.#ip('route', 'add', 'default', 'via', this.outside);
      this.#ip('-6', 'route', 'add', 'default', 'via', 'fd00:213:77::1');
      mkdirSync(`/etc/netns/${this.name}`, { recursive: true });
      writeFileSync(`/etc/netns/${this.name}/resolv.conf`, `nameserver ${this.outside}\n`);
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  remove(): void {
    // The other end goes with it.
    ip('netns', 'delete', this.name);
    rmSync(`/etc/netns/${this.name}`, { recursive: true, force: true });
  }

  #ip(...args: readonly string[]): void {
    ip('-n', this.name, ...args);
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
