import type { SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectsOf, stringOf } from '../../src/wire/json-values.ts';
import type { ScriptedTurn } from './scripted-turns.ts';

const wanted = 'repair_chapel';

/** What a model does that needs a tool which was left out: it looks for it, calls it, and then does what it would have done. */
export function finding(
  { bytes, json }: SeenRequest,
  results: number,
): ScriptedTurn | { readonly fault: string } | undefined {
  const offered = JSON.stringify(json.tools);
  // Before vectors are made of what the agent offers, all of it goes out.
  if (!offered.includes('"find_tools"')) return { text: 'There is nothing to look with yet.' };
  if (offered.includes(`${wanted}"`)) return { fault: `${wanted} was not left out` };
  if (results === 0) return { tool: 'find_tools', input: { query: 'repair the chapel of the estate' } };
  const said = bytes.toString();
  const [name] = new RegExp(`[\\w-]*${wanted}`).exec(said) ?? [];
  if (name === undefined) return { fault: `find_tools did not find ${wanted}` };
  if (results === 1) return { tool: 'call_tool', input: { name, arguments: { reason: 'rising water' } } };
  return said.includes('is done because of rising water')
    ? undefined
    : { fault: 'the agent did not call it' };
}

/** What a model does that has the tools of a server behind the gateway: it calls one, and then does what it would have done. */
export function callingThroughGateway(
  { bytes, json }: SeenRequest,
  results: number,
): ScriptedTurn | { readonly fault: string } | undefined {
  const [tool] = new RegExp(`[\\w-]*${houseBehindGateway}__${wanted}`).exec(JSON.stringify(json.tools)) ?? [];
  if (tool === undefined) return { fault: 'the agent offers no tool of the server behind the gateway' };
  const group = objectsOf(json.tools).find((one) => objectsOf(one.tools).some(({ name }) => name === tool));
  if (results === 0) return { tool, namespace: stringOf(group?.name), input: { reason: 'rising water' } };
  return bytes.toString().includes('is done because of rising water')
    ? undefined
    : { fault: 'the agent did not call it' };
}

/** The name of the house server at the gateway. */
export const houseBehindGateway = 'estate';
