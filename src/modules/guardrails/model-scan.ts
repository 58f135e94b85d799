import {
  GatewayError,
  type Kit,
  type RequestText,
  type TextPlace,
  type UnreadReason,
} from '../../module-api.ts';
import { findEntities } from './entities/find-entities.ts';
import type { Finding, PersonalKind } from './finding.ts';
import type { InjectionScanner } from './injection/injection-scanner.ts';
import { limits } from './limits.ts';
import type { GuardrailsOptions } from './options.ts';
import type { TextMemory } from './text-memory.ts';

type ScanKit = Pick<Kit<GuardrailsOptions>, 'options' | 'scope' | 'textModels' | 'note'>;

interface ModelScanParts {
  readonly kit: ScanKit;
  /** Findings of the models, by text. */
  readonly entities: TextMemory<readonly Finding[]>;
  readonly injections: InjectionScanner;
}

/** What the local models found. */
export interface ModelFindings {
  /** Names, addresses and the like. */
  entitiesIn(text: string, place: TextPlace): readonly Finding[];
  /** Whether a text tries to change the instructions of the model. */
  isInjection(text: RequestText): boolean;
}

export const noModelFindings: ModelFindings = { entitiesIn: () => [], isInjection: () => false };

/** Reads the texts that nobody has read before with the local models, the newest first. */
export async function scanWithModels(
  texts: readonly RequestText[],
  { kit, entities, injections }: ModelScanParts,
): Promise<ModelFindings> {
  const { options, scope, textModels } = kit;
  if (options.models === 'off') return noModelFindings;
  const deadlineMs = options.models === 'required' ? limits.requiredModelsMs : limits.modelsMs;
  const kinds = taggedKinds(options);
  const owner = `${scope} ${[...(kinds ?? [])].join('|')}`;
  const found = new Map<string, readonly Finding[]>();
  const isSought = options.pii !== 'off' && (kinds === undefined || kinds.size > 0);
  const unread = [...new Set(isSought ? texts.filter(mayNamePeople).map(({ text }) => text) : [])];
  const unseen = unread.filter((text) => {
    const known = entities.get(owner, text);
    if (known !== undefined) found.set(text, known);
    return known === undefined;
  });
  const tagged = await findEntities(unseen, { kinds, deadlineMs }, textModels);
  for (const [at, text] of unseen.entries()) {
    const findings = tagged.findings[at] ?? [];
    found.set(text, findings);
    if (tagged.why === undefined) entities.set(owner, text, findings);
  }
  const scanned =
    options.injection === 'off' ? undefined : await injections.scan(texts, { scope, textModels, deadlineMs });
  reportUnread(tagged.why ?? scanned?.why, kit);
  const flagged = new Set(texts.filter((_, at) => scanned?.results[at]?.isFlagged));
  return {
    entitiesIn: (text, place) => (mayNamePeople(place) ? found.get(text) : undefined) ?? [],
    isInjection: (text) => flagged.has(text),
  };
}

/** What the tagger looks for: none in a language that it doesn't know, undefined for its default. */
function taggedKinds({ types, language }: GuardrailsOptions): ReadonlySet<PersonalKind> | undefined {
  if (!taggedLanguages.has(language)) return new Set();
  const known = language === 'de' ? reliableKinds : modelKinds;
  if (types !== undefined) return new Set(known.filter((kind) => types.has(kind)));
  return language === 'de' ? new Set(reliableKinds) : undefined;
}

/** Those that the tagger was trained with. */
const taggedLanguages: ReadonlySet<string> = new Set(['auto', 'en', 'da', 'de', 'es', 'fr', 'nl', 'pt']);

/** German nouns in capitals are mistaken for places and organizations. */
const reliableKinds: readonly PersonalKind[] = ['PERSON', 'ADDRESS', 'DATE_OF_BIRTH', 'PHONE', 'NATIONAL_ID'];
const modelKinds: readonly PersonalKind[] = [
  ...reliableKinds,
  ...(['USERNAME', 'LOCATION', 'ORGANIZATION', 'DATE', 'AGE', 'NATIONALITY'] as const),
];

/** What operators and models write is not read for names: instructions, descriptions of tools, answers and thoughts. */
function mayNamePeople({ field, role }: TextPlace): boolean {
  return role !== 'assistant' && (field === 'message' || field === 'tool-result' || field === 'document');
}

/** The models read no text in other scripts, and that is no fault of theirs. */
function reportUnread(why: UnreadReason | undefined, kit: ScanKit): void {
  if (why === undefined) return;
  if (kit.options.models === 'required' && why !== 'script')
    throw new GatewayError(
      'blocked_by_module',
      `guardrails: the local models did not read the request (${why})`,
      {
        ...{ detail: 'models', status: 503, retryAfterSeconds: 1 },
      },
    );
  kit.note(why === 'script' ? { models: why } : { models: 'away', reason: why });
}
