import type { EntityLabel, TextModels, UnreadReason } from '../../../module-api.ts';
import type { Finding } from '../finding.ts';
import { type Entity, joinWords } from './join-words.ts';
import { trimEntity } from './trim-entity.ts';

export interface EntityOptions {
  /** Kinds that the client listed; undefined for the default. */
  readonly kinds?: ReadonlySet<string> | undefined;
  /** For all texts together. */
  readonly deadlineMs: number;
}

export interface EntityFindings {
  /** For each text, in the order of the texts. */
  readonly findings: readonly (readonly Finding[])[];
  /** Why some texts were not read to their end; undefined if all were. */
  readonly why: UnreadReason | undefined;
}

/** Finds names and other personal data with the tagger. The last texts are read first: they are the newest. */
export async function findEntities(
  texts: readonly string[],
  { kinds, deadlineMs }: EntityOptions,
  textModels: TextModels,
): Promise<EntityFindings> {
  const endsAtMs = performance.now() + deadlineMs;
  const findings: (readonly Finding[])[] = texts.map(() => []);
  let why: UnreadReason | undefined;
  for (const [at, text] of [...texts.entries()].reverse()) {
    const result = await textModels.tagEntities(text, {
      deadlineMs: Math.max(0, endsAtMs - performance.now()),
    });
    why ??= result.why;
    const entities = joinWords(text, result.words, outsideMax).flatMap(
      (entity) => trimEntity(text, entity) ?? [],
    );
    findings[at] = chooseEntities(entities, kinds).map(({ start, end, label }) => ({
      start,
      end,
      kind: label,
    }));
  }
  return { findings, why };
}

/** The model's card advises .5; .3 gives fewer alarms, .7 more findings. */
const outsideMax = 0.5;

/** The listed kinds; by default those that identify a person, and others beside them. */
function chooseEntities(
  entities: readonly Entity[],
  kinds: ReadonlySet<string> | undefined,
): readonly Entity[] {
  if (kinds !== undefined) return entities.filter(({ label }) => kinds.has(label));
  const identifying = entities.filter(({ label }) => identifyingLabels.has(label));
  let next = 0;
  return entities.filter((entity) => {
    const { start, end, label } = entity;
    if (identifyingLabels.has(label)) return true;
    if (!accompanyingLabels.has(label)) return false;
    while ((identifying[next]?.end ?? Number.POSITIVE_INFINITY) < start - nearCharacters) next++;
    return (identifying[next]?.start ?? Number.POSITIVE_INFINITY) < end + nearCharacters;
  });
}

const identifyingLabels: ReadonlySet<EntityLabel> = new Set([
  'PERSON',
  'ADDRESS',
  'DATE_OF_BIRTH',
  'PHONE',
  'NATIONAL_ID',
  'USERNAME',
]);
/** Alone they are seldom personal. Dates and organizations seldom are beside a person, either. */
const accompanyingLabels: ReadonlySet<EntityLabel> = new Set(['LOCATION', 'AGE', 'NATIONALITY']);
/** A sentence or two. */
const nearCharacters = 200;
