import { degraded, failing, type NamedResult, passed } from '../../telemetry/diagnostics.ts';

export const ok = (name: string, detail: string): NamedResult => ({ name, ...passed(detail) });

export const warn = (name: string, detail: string, hint: string): NamedResult => ({
  name,
  ...degraded(detail, hint),
});

export const fail = (name: string, detail: string, hint: string): NamedResult => ({
  name,
  ...failing(detail, hint),
});

const nameColumn = 10;
const detailColumn = 32;

export function formatResult({ name, status, detail, hint }: NamedResult): string {
  const line = `${`${status.padEnd(nameColumn)}${name}`.padEnd(detailColumn - 1)} ${detail}`;
  return hint === undefined ? line : `${line}\n${' '.repeat(detailColumn)}→ ${hint}`;
}
