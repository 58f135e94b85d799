// Compares the abilities of models with recorded calls: npm run eval:abilities -- --data <folder>
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Abilities, type Ability, abilitiesNeededBy } from '../../src/kernel/abilities.ts';
import type { ChatRequest } from '../../src/kernel/message.ts';
import { takesSettings } from '../../src/kernel/provider.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { abilitiesOf } from '../../src/providers/catalog/abilities/index.ts';
import { ModelCatalog } from '../../src/providers/catalog/model-catalog.ts';
import { builtInProviders } from '../../src/providers/index.ts';
import { formats } from './wire/formats.ts';
import { type Recording, recordingsOf } from './wire/recordings.ts';

interface Exception {
  readonly id: string;
  readonly why: string;
}

/** Answered calls that do not contradict the data. */
const answeredExceptions: readonly (Exception & { readonly of: Ability })[] = [
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

/** Rejected calls that are not about an ability. */
const rejectedExceptions: readonly Exception[] = [
  { id: 'test_openai_o1_mini_system_role', why: 'the role of a message, which is no ability' },
  { id: 'strict_schema_matrix', why: 'a single schema that the compiler rejects' },
];

/** How providers word that a model lacks something. */
const lackPattern = /not support|unsupported|not enabled|unknown variant/i;

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

/**
 * Every answered call proves the abilities that it used, and a call that was rejected for an ability shows that one of
 * them is missing. Fails if the data denies an ability that was used, or doesn't deny one that was missing.
 */
function evaluate(data: string): number {
  const catalog = new ModelCatalog();
  const recordings = formats.flatMap((format) => recordingsOf(data, format));
  const used = recordings
    .filter(({ status }) => status === 200)
    .flatMap((recording) => usedAbilities(recording, catalog));
  const denied = used.filter(
    ({ known, recording, ability }) =>
      known === false &&
      !answeredExceptions.some(({ id, of }) => of === ability && recording.id.includes(id)),
  );
  const unknown = used.filter(({ known }) => known === 'unknown');
  console.log(
    `${used.length} uses of abilities in answered calls: ${used.length - denied.length - unknown.length} known, ${unknown.length} unknown, ${denied.length} denied`,
  );
  const rejected = recordings.filter(isRejectedForAbility).filter((recording) => providerOf(recording));
  const unpredicted = rejected.filter(
    (recording) => !usedAbilities(recording, catalog).some(({ known }) => known === false),
  );
  const predicted = rejected.length - unpredicted.length;
  const wrong = new Set(denied.map(({ recording }) => recording)).size;
  console.log(
    `${rejected.length} calls rejected for an ability: ${predicted} predicted (recall ${share(predicted, rejected.length)}, precision ${share(predicted, predicted + wrong)})\n`,
  );
  report('denied by the data, but used', denied);
  for (const { id, bytes } of unpredicted)
    console.log(`rejected, but not predicted: ${id}\n  ${bytes.toString('utf8').slice(0, 200)}`);
  if (values.unknown === true) report('unknown, but used', unknown);
  return denied.length === 0 && unpredicted.length === 0 ? 0 : 1;
}

function isRejectedForAbility({ id, status, bytes }: Recording): boolean {
  return (
    status === 400 &&
    lackPattern.test(bytes.toString('utf8')) &&
    !rejectedExceptions.some((one) => id.includes(one.id))
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${((part / whole) * 100).toFixed(1)} %`;
}

function usedAbilities(recording: Recording, catalog: ModelCatalog): readonly UsedAbility[] {
  const provider = providerOf(recording);
  const request = decoded(recording);
  if (provider === undefined || request === undefined) return [];
  const { model } = request;
  const target = { provider, model };
  const known = abilitiesOf(target, catalog.find(provider, model)?.features);
  const abilities = takesSettings(target, request) ? known : { ...known, reasoning: false };
  return [...abilitiesNeededBy(request)].map((ability) => ({
    name: `${provider.name}/${model}`,
    ability,
    known: abilities[ability],
    recording,
  }));
}

/** Undefined for a provider that Weir doesn't know. */
function providerOf({ provider: recorded }: Recording) {
  const provider = recorded === 'azure-openai' ? 'azure' : recorded;
  return builtInProviders.find(({ name }) => name === provider);
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
