import type { Prompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';

/** Whether somebody else is told, met or spoken of: by who is whom among the small words, whatever else is the same. */
export function meansOther(old: Prompt, now: Prompt): boolean {
  return sides.some((differ) => differ(old, now) || differ(now, old));
}

const sides: readonly ((one: Prompt, other: Prompt) => boolean)[] = [tellsOther, meetsMe, isSomebodyElse];

const telling = wordSet('tell ask remind inform notify warn convinc persuad teach advis invit');
/** What is told begins with one of these. */
const told = wordSet('that why how when where what who which if whether to about not of');
const articles = wordSet('a an the my your our his her their this that');

/** "Tell the guests that we are late" and "tell us that the guests are late". */
function tellsOther({ words, isForMe }: Prompt, other: Prompt): boolean {
  if (isForMe) return false;
  return words.some(({ stem }, at) => {
    if (!telling.has(stem)) return false;
    const next = articles.has(words[at + 1]?.text ?? '') ? at + 2 : at + 1;
    const [whom, what] = [words[next], words[next + 1]];
    if (whom?.isContent !== true || !told.has(what?.text ?? '')) return false;
    return other.vocabulary.has(whom.stem) && (other.isForMe || tellsMe(other.words, stem));
  });
}

function tellsMe(words: readonly Word[], verb: string): boolean {
  return words.some(
    ({ stem }, at) =>
      stem === verb && mine.has(words[at + 1]?.text ?? '') && told.has(words[at + 2]?.text ?? ''),
  );
}

const mine = new Set(['me', 'us']);
const own = new Set(['i', 'we', 'me', 'us', 'my', 'our']);

/** "I want to pay you" and "you want to pay me": who says "I" means nobody else by "you" than the one who is asked. */
function meetsMe({ words }: Prompt, { words: there }: Prompt): boolean {
  if (!words.some(({ text }) => own.has(text))) return false;
  return words.some(
    ({ text }, at) =>
      text === 'you' &&
      words[at - 1]?.isContent === true &&
      there.some(({ stem }, place) => stem === words[at - 1]?.stem && mine.has(there[place + 1]?.text ?? '')),
  );
}

const anybody = new Set(['someone', 'somebody', 'anyone', 'anybody', 'others', 'people']);

/** "Can someone see my photos" and "can I see my photos": where something is mine, somebody is another. */
function isSomebodyElse({ words }: Prompt, { words: there }: Prompt): boolean {
  const has = (all: readonly Word[], some: ReadonlySet<string>) => all.some(({ text }) => some.has(text));
  return (
    has(words, anybody) &&
    has(words, owned) &&
    !has(words, acting) &&
    has(there, acting) &&
    !has(there, anybody)
  );
}

const owned = new Set(['my', 'me', 'our', 'us']);
const acting = new Set(['i', 'we']);
