import type { Module } from '../../src/module-api.ts';

/** Modules that stop the event loop of their process, each in another way; loaded by a gateway through WEIR_MODULES. */
function freezing(name: string, freeze: () => void): Module {
  return {
    api: 1,
    name,
    summary: 'For tests.',
    status: 'preview',
    protective: false,
    ifBroken: 'reject',
    touches: [],
    options: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
    handle(exchange, next) {
      freeze();
      return next(exchange);
    },
  };
}

export default [
  freezing('spins', () => void /^(a+)+$/.test(`${'a'.repeat(100)}!`)),
  freezing('blocks', () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)),
] satisfies Module[];
