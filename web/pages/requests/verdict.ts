import type { LoggedCall } from '../../api/queries.ts';
import { causeOf } from '../../parts/causes.ts';
import type { Tone } from '../../parts/states.tsx';

interface Verdict {
  readonly tone: Tone;
  readonly text: string;
}

/** How a call went, in a word or two. */
export function verdictOf(call: LoggedCall): Verdict {
  const { status, ending, modules } = call;
  const by = modules.find(({ effect }) => effect === 'answered');
  if (status >= 500) return { tone: 'failed', text: `${status} ${reasonOf(call)}` };
  if (status >= 400) return { tone: 'refused', text: `${status} ${reasonOf(call)}` };
  if (ending === 'failed') return { tone: 'failed', text: reasonOf(call) };
  if (ending === 'aborted') return { tone: 'plain', text: 'client disconnected' };
  if (by !== undefined) return { tone: 'saved', text: `hit ${by.name}` };
  return { tone: 'plain', text: String(status) };
}

/** Why it failed, in a few words. */
export function reasonOf({ error_code: code, ending, ...call }: LoggedCall): string {
  return causeOf({ ...call, code: code ?? (ending === 'complete' ? null : ending) });
}

/** What the gateway itself did to a call, and why. */
export function changesIn(call: LoggedCall): readonly string[] {
  const { wire_format: wire, provider_wire_format: asked, changes } = call;
  const named = (kind: string) => changes.filter(({ what }) => what === kind).map(({ name }) => name);
  const [leftOut, added] = [named('left-out'), named('header')];
  const said: string[] = [];
  if (asked !== null && asked !== wire) said.push(`Translated from ${wire} to ${asked} and back.`);
  if (leftOut.length > 0)
    said.push(`Left out, since ${asked ?? 'the provider'} does not support it: ${leftOut.join(', ')}.`);
  if (added.length > 0) said.push(`Response headers of modules: ${added.join(', ')}.`);
  return said;
}
