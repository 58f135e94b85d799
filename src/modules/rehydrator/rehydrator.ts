import {
  abstains,
  appendTexts,
  blocksOf,
  decideAppendedText,
  type Exchange,
  type Kit,
  type Message,
  type Module,
  newestUserTextIndex,
  type PlacedText,
  recallAppendedTexts,
  recordAppendedCost,
  resultText,
  userOnlyTextOf,
} from '../../module-api.ts';
import { ArchivedPassages } from './archived-passages.ts';
import { omittedPassages } from './omitted-passages.ts';
import { type RehydratorOptions, rehydratorOptions } from './options.ts';
import type { IndexedPassage } from './passages.ts';
import { findReferences, type Reference } from './references.ts';
import { parseRestoration, type Restoration, renderPassages, tokensOf } from './restored-text.ts';
import { scoreMatch } from './score.ts';
import { PassageSearch } from './search.ts';

type RehydratorKit = Kit<RehydratorOptions>;
type PlacedRestoration = PlacedText<Restoration>;

const name = 'rehydrator';

/** Appends archived passages to a turn that refers to them. */
export const rehydrator = (): Module<RehydratorOptions> => {
  const archivedPassages = new ArchivedPassages();
  return {
    api: 1,
    name,
    summary: 'Brings archived context back when it is referred to.',
    status: 'production',
    protective: false,
    order: 60,
    ifBroken: 'skip',
    touches: ['history', 'newest-turn'],
    options: rehydratorOptions,

    async handle(exchange, next, kit) {
      const isFirst = exchange.request.messages.every(({ role }) => role !== 'assistant');
      const hasDecided = !isFirst && !(await kit.decisions.isEmpty());
      if (hasDecided && (await abstains(exchange, name, kit))) return next(exchange);
      const earlier = hasDecided ? await recallAppendedTexts(exchange, kit, parseRestoration) : [];
      const fresh = await decideRestoration(exchange, earlier, { kit, archivedPassages, hasDecided });
      const placed = fresh === undefined ? earlier : [...earlier, fresh];
      const goesOn = appendTexts(exchange, placed, kit);
      if (goesOn !== exchange) {
        const freshTokens = tokensOf(fresh?.decision.text ?? '');
        kit.note({ restored: fresh?.decision.restored ?? 0, tokens: freshTokens });
        const earlierTokens = earlier.reduce((sum, { decision }) => sum + tokensOf(decision.text), 0);
        recordAppendedCost({ fresh: freshTokens, earlier: earlierTokens }, exchange, kit);
      }
      return next(goesOn);
    },
  };
};

interface RestorationContext {
  readonly kit: RehydratorKit;
  readonly archivedPassages: ArchivedPassages;
  /** Whether the module has decided anything in this conversation. */
  readonly hasDecided: boolean;
}

/** Decides what to append to the newest turn. The trace says why nothing is. */
async function decideRestoration(
  exchange: Exchange,
  earlier: readonly PlacedRestoration[],
  { kit, archivedPassages, hasDecided }: RestorationContext,
): Promise<PlacedRestoration | undefined> {
  const { messages } = exchange.request;
  const at = newestUserTextIndex(messages);
  if (earlier.some((placed) => placed.at === at)) return undefined;
  const message = messages[at];
  const userText = message === undefined ? '' : userOnlyTextOf(message);
  const references = findReferences(userText);
  if (references.length === 0) {
    kit.note({ aside: userText === '' ? 'no-user-text' : 'no-reference' });
    return undefined;
  }
  const passages = withoutRepetitions([
    ...(await archivedPassages.find(exchange, kit)),
    ...(await omittedPassages(exchange)),
  ]);
  if (passages.length === 0) {
    kit.note({ aside: 'nothing-archived' });
    return undefined;
  }
  const sentText = [
    ...messages.map((one) => (one === message ? '' : textOf(one))),
    ...earlier.map(({ decision }) => decision.text),
  ].join('\n');
  const search = new PassageSearch(passages, (text) => sentText.includes(text));
  const ranked = await rankPassages(references, search, kit);
  const decision = renderPassages(ranked, passages, kit.options.budget_tokens);
  if (decision === undefined) {
    kit.note({ aside: ranked.length === 0 ? 'nothing-found' : 'budget' });
    return undefined;
  }
  if (!hasDecided && (await abstains(exchange, name, kit))) return undefined;
  const decided = await decideAppendedText(exchange, kit, { at, decision, parse: parseRestoration });
  return decided === undefined ? undefined : { at, decision: decided };
}

/** The positions of the passages that the references are about, the best first. */
async function rankPassages(
  references: readonly Reference[],
  search: PassageSearch,
  { options }: RehydratorKit,
): Promise<readonly number[]> {
  const weights = new Map<number, number>();
  for (const reference of references) {
    const match = await search.match(reference);
    if (scoreMatch(match) < options.min_score) continue;
    for (const { at, weight } of match.found) weights.set(at, Math.max(weight, weights.get(at) ?? 0));
  }
  return [...weights].sort(([, one], [, other]) => other - one).map(([at]) => at);
}

/** A passage may be archived and in the client's request. The last one counts, which has its place in this conversation. */
function withoutRepetitions(passages: readonly IndexedPassage[]): readonly IndexedPassage[] {
  const last = new Map(passages.map(({ text }, at) => [text, at]));
  return last.size === passages.length ? passages : passages.filter(({ text }, at) => last.get(text) === at);
}

function textOf(message: Message): string {
  return blocksOf(message)
    .map((block) => {
      if (block.type === 'text') return block.text;
      if (block.type === 'tool_result') return resultText(block.content);
      return block.type === 'tool_use' ? `${block.name} ${JSON.stringify(block.input)}` : '';
    })
    .join('\n');
}
