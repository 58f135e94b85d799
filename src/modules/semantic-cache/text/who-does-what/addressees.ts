import type { ParsedPrompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';

/** Whether the prompts address different persons, or swap the speaker with another person. */
export function differInAddressee(old: ParsedPrompt, now: ParsedPrompt): boolean {
  return addresseeChecks.some((differ) => differ(old, now) || differ(now, old));
}

const addresseeChecks: readonly ((one: ParsedPrompt, other: ParsedPrompt) => boolean)[] = [
  tellsSomeoneElse,
  reversesYouAndMe,
  isDoneBySomeoneElse,
];

const communicationVerbs = wordSet('tell ask remind inform notify warn convinc persuad teach advis invit');
/** Words that begin the content of a message. */
const contentClauseStarters = wordSet('that why how when where what who which if whether to about not of');
const articles = wordSet('a an the my your our his her their this that');

/** "Tell the guests that we are late" and "tell us that the guests are late". */
function tellsSomeoneElse({ words, isForMe }: ParsedPrompt, other: ParsedPrompt): boolean {
  if (isForMe) return false;
  return words.some(({ stem }, at) => {
    if (!communicationVerbs.has(stem)) return false;
    const next = articles.has(words[at + 1]?.text ?? '') ? at + 2 : at + 1;
    const [whom, what] = [words[next], words[next + 1]];
    if (whom?.isContent !== true || !contentClauseStarters.has(what?.text ?? '')) return false;
    return other.vocabulary.has(whom.stem) && (other.isForMe || tellsSpeaker(other.words, stem));
  });
}

function tellsSpeaker(words: readonly Word[], verb: string): boolean {
  return words.some(
    ({ stem }, at) =>
      stem === verb &&
      speakerObjectPronouns.has(words[at + 1]?.text ?? '') &&
      contentClauseStarters.has(words[at + 2]?.text ?? ''),
  );
}

const speakerObjectPronouns = new Set(['me', 'us']);
const speakerPronouns = new Set(['i', 'we', 'me', 'us', 'my', 'our']);

/** "I want to pay you" and "you want to pay me": subject and object are swapped. */
function reversesYouAndMe({ words }: ParsedPrompt, { words: there }: ParsedPrompt): boolean {
  if (!words.some(({ text }) => speakerPronouns.has(text))) return false;
  return words.some(
    ({ text }, at) =>
      text === 'you' &&
      words[at - 1]?.isContent === true &&
      there.some(
        ({ stem }, place) =>
          stem === words[at - 1]?.stem && speakerObjectPronouns.has(there[place + 1]?.text ?? ''),
      ),
  );
}

const indefinitePronouns = new Set(['someone', 'somebody', 'anyone', 'anybody', 'others', 'people']);

/** "Can someone see my photos" and "can I see my photos": next to "my", "someone" is another person. */
function isDoneBySomeoneElse({ words }: ParsedPrompt, { words: there }: ParsedPrompt): boolean {
  const has = (all: readonly Word[], some: ReadonlySet<string>) => all.some(({ text }) => some.has(text));
  return (
    has(words, indefinitePronouns) &&
    has(words, speakerPossessives) &&
    !has(words, speakerSubjects) &&
    has(there, speakerSubjects) &&
    !has(there, indefinitePronouns)
  );
}

const speakerPossessives = new Set(['my', 'me', 'our', 'us']);
const speakerSubjects = new Set(['i', 'we']);
