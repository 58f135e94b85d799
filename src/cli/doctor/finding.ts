/** The result of one check. */
export interface Finding {
  readonly about: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do if the check did not pass. */
  readonly todo?: string;
}

export function ok(about: string, found: string): Finding {
  return { about, state: 'ok', found };
}

export function warn(about: string, found: string, todo: string): Finding {
  return { about, state: 'warn', found, todo };
}

export function fail(about: string, found: string, todo: string): Finding {
  return { about, state: 'fail', found, todo };
}

export function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(reasonOf).join('; ');
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message}: ${reasonOf(thrown.cause)}` : thrown.message;
}

export function formatFinding({ about, state, found, todo }: Finding): string {
  const line = `${state.padEnd(5)} ${about.padEnd(12)} ${found}`;
  return todo === undefined ? line : `${line}\n${' '.repeat(19)}→ ${todo}`;
}
