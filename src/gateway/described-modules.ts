import type { Module, ModuleHost } from '../kernel/module.ts';
import { systemClock } from '../lib/clock.ts';
import { builtInModules } from '../modules/index.ts';

const host: ModuleHost = {
  clock: systemClock,
  log: { info() {}, error() {} },
  settings: () => ({}),
  every() {},
  store: unavailable,
  vectors: unavailable,
  hasCall: unavailable,
  fetch: unavailable,
};

/** Descriptions need no data of accounts and no network. */
function unavailable(): never {
  throw new Error('there is no gateway');
}

/** The modules that come with the gateway, without one, for pages and schemas that describe them. */
export function describedModules(): readonly Module[] {
  return builtInModules.map((make) => make(host));
}
