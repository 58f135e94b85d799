import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { objectOf } from '../../../../src/wire/json-values.ts';
import type { RequestOutline } from './asked.ts';
import { comparedSettings } from './compare-settings.ts';
import { comparedTurns } from './compare-turns.ts';
import { outlineOf } from './outline.ts';
import { Report } from './report.ts';

export interface SentRequest {
  readonly asked: RequestOutline;
  readonly body: JsonObject;
}

/** What the client asked and the provider was not, without being listed; and what it was asked that nobody said. */
export function lossesOf(
  client: SentRequest,
  sent: SentRequest,
  dropped: readonly string[],
): readonly string[] {
  const provider = { ...sent, asked: withoutStandIn(sent.asked, client.asked) };
  const report = new Report(dropped);
  comparedSystem(client.asked, provider.asked, report);
  comparedTurns(client.asked.turns, provider.asked.turns, report);
  comparedTools(client.asked, provider.asked, report);
  comparedSettings(client.asked, provider.asked, report);
  comparedOthers(client, provider, report);
  return report.faults;
}

/** Without the turn that stands for one of the user, in formats that demand one where the client had none. */
function withoutStandIn(provider: RequestOutline, { turns: said }: RequestOutline): RequestOutline {
  const { userFirst, turns } = provider;
  const [first, second] = turns;
  const isDemanded =
    userFirst === 'always' || (userFirst === 'before calls' && (second?.calls.length ?? 0) > 0);
  const isStandIn = isDemanded && said[0]?.side !== 'user' && first?.texts.join() === '(empty)';
  return isStandIn ? { ...provider, turns: turns.slice(1) } : provider;
}

/** A conversation of instructions alone begins with them. */
function comparedSystem(client: RequestOutline, provider: RequestOutline, report: Report): void {
  const told = client.system.filter((text) => text !== '');
  const [first] = provider.turns;
  const begins = client.turns[0]?.side !== 'user' && first?.side === 'user';
  const alone = begins ? first.texts : [];
  const demoted = report.isListed('messages[].system') ? provider.turns.flatMap(({ texts }) => texts) : [];
  report.texts('system text', told, [...provider.system, ...alone, ...demoted], {
    mayHaveMore: demoted.length > 0,
  });
}

function comparedTools(client: RequestOutline, provider: RequestOutline, report: Report): void {
  const names = (asked: RequestOutline) => asked.tools.map(({ name }) => name);
  const areNone = client.settings.choice === 'none' && provider.tools.length === 0;
  // Calls in a conversation may need tools that are declared.
  const areCalled = client.tools.length === 0 && client.turns.some(({ calls }) => calls.length > 0);
  if (!areNone && !areCalled) report.same('names of tools', names(client), names(provider), 'tools');
  for (const tool of client.tools) {
    const other = provider.tools.find(({ name }) => name === tool.name);
    if (other === undefined) continue;
    if (!other.description.includes(tool.description)) report.lost('description of a tool', tool.description);
    const rewritten = tool.strict || other.strict;
    if (other.isRewritten === true) {
      report.same('inputs of a tool', inputsOf(tool.schema), inputsOf(other.schema));
      continue;
    }
    const same = rewritten
      ? isDeepStrictEqual(outlineOf(tool.schema), outlineOf(other.schema))
      : isDeepStrictEqual(tool.schema, other.schema);
    if (!same) report.lost('schema of a tool', [tool.schema, other.schema], 'tools');
  }
}

function inputsOf(schema: unknown): unknown {
  const { properties, required } = objectOf(schema) ?? {};
  return { names: Object.keys(objectOf(properties) ?? {}), required };
}

function comparedOthers(client: SentRequest, provider: SentRequest, report: Report): void {
  for (const name of new Set(client.asked.others)) {
    const kept = isDeepStrictEqual(client.body[name], provider.body[name]) && name in client.body;
    if (!kept && !provider.asked.others.includes(name)) report.lost(`unlisted: ${name}`, name, name);
  }
  if (client.asked.cached && !provider.asked.cached)
    report.lost('marks for the cache', 'cache_control', 'cache_control', 'tools[]');
}
