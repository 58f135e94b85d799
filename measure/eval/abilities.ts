// Compares the abilities of models with what recorded calls used: npm run eval:abilities -- --data <folder>
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Abilities, type Ability, abilitiesNeededBy } from '../../src/kernel/abilities.ts';
import type { ChatRequest } from '../../src/kernel/message.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { abilitiesOf } from '../../src/providers/catalog/abilities/index.ts';
import { ModelCatalog } from '../../src/providers/catalog/model-catalog.ts';
import { builtInProviders } from '../../src/providers/index.ts';
import { formats } from './wire/formats.ts';
import { type Recording, recordingsOf } from './wire/recordings.ts';

/** Recorded calls that do not contradict the data. */
const exceptions: readonly { readonly id: string; readonly of: Ability; readonly why: string }[] = [
  {
    id: 'test_stop_settings[openai]',
    of: 'stopSequences',
    why: 'o3-mini took them in 2025, and newer models reject them',
  },
  {
    id: 'test_bedrock_mantle',
    of: 'structuredOutput',
    why: 'another API of Bedrock, which Weir does not use',
  },
];

const { values } = parseArgs({ options: { data: { type: 'string' }, unknown: { type: 'boolean' } } });
const folder = values.data;
if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no recordings at ${folder ?? '--data <folder>'}`);
else process.exitCode = evaluate(folder);

interface UsedAbility {
  readonly name: string;
  readonly ability: Ability;
  readonly known: Abilities[Ability];
  readonly recording: Recording;
}

/** Every answered call proves the abilities that it used; fails if the data denies one of them. */
function evaluate(data: string): number {
  const catalog = new ModelCatalog();
  const used = formats.flatMap((format) =>
    recordingsOf(data, format).flatMap((recording) => usedAbilities(recording, catalog)),
  );
  const denied = used.filter(
    ({ known, recording, ability }) =>
      known === false && !exceptions.some(({ id, of }) => of === ability && recording.id.includes(id)),
  );
  const unknown = used.filter(({ known }) => known === 'unknown');
  console.log(
    `${used.length} uses of abilities in answered calls: ${used.length - denied.length - unknown.length} known, ${unknown.length} unknown, ${denied.length} denied\n`,
  );
  report('denied by the data, but used', denied);
  if (values.unknown === true) report('unknown, but used', unknown);
  return denied.length === 0 ? 0 : 1;
}

function usedAbilities(recording: Recording, catalog: ModelCatalog): readonly UsedAbility[] {
  const provider = builtInProviders.find(({ name }) => name === providerName(recording.provider));
  const request = recording.status === 200 ? decoded(recording) : undefined;
  if (provider === undefined || request === undefined) return [];
  const { model } = request;
  const abilities = abilitiesOf({ provider, model }, catalog.find(provider, model)?.features);
  return [...abilitiesNeededBy(request)].map((ability) => ({
    name: `${provider.name}/${model}`,
    ability,
    known: abilities[ability],
    recording,
  }));
}

function providerName(recorded: string): string {
  return recorded === 'azure-openai' ? 'azure' : recorded;
}

/** Undefined for a body that the gateway rejects. */
function decoded({ format, body }: Recording): ChatRequest | undefined {
  if (!isJsonObject(body)) return undefined;
  try {
    return format.wire.decodeRequest(body);
  } catch {
    return undefined;
  }
}

function report(title: string, found: readonly UsedAbility[]): void {
  if (found.length === 0) return;
  console.log(`${title}:`);
  const groups = Map.groupBy(found, ({ name, ability }) => `${name} ${ability}`);
  for (const [key, group] of [...groups].toSorted(([, one], [, other]) => other.length - one.length))
    console.log(`  ${key}: ${group.length} calls, such as ${group[0]?.recording.id}`);
  console.log('');
}
