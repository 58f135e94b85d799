import published from 'naughty-words/en.json' with { type: 'json' };
import type { Finding } from '../finding.ts';
import type { Entry } from './entry-tree.ts';
import { WordMatcher } from './word-matcher.ts';

/** How offensive a word is. `low`: it is ordinary in many contexts, such as medicine. */
export const severities = ['low', 'medium', 'high'] as const;
export type Severity = (typeof severities)[number];

/** Found anywhere in a word. */
const innerWords: Readonly<Partial<Record<Severity, string>>> = {
  high: 'fuck fvck fucc fukk fxck phuck phuk motherf mothaf muthaf mutherf cunt nigger niggah faggot cocksuc cocksuk',
  medium:
    'bitch biatch bullshit dipshit whore asshole arsehole azzhole jerkoff dickhead dicksuck dicklick knobhead wanker ' +
    'cockmunch cocksmok cockgobbl cocklick knobgobbl fudgepack carpetmunch shitface shithead cumdump cumslut goddam douchebag',
};

/** Found as whole words. */
const wholeWords: Readonly<Record<Severity, string>> = {
  high:
    'fck fcks fcked fcker fckers fckin fcking fcuk fcuks fcuked fcuker fcuking fuk fuks fuker fukin fuking fuq fux nigga niggas niggaz niglet nigra ' +
    'fag fags faggy faggs fagot gook gooks wetback kike kyke spic spics spick spicks raghead towelhead jigaboo jiggaboo mofo mofos stfu gtfo',
  medium:
    'shit shits shitted shitter shitting shite shitty shittier shittiest shithole shitbag shitstorm shitshow horseshit dogshit batshit apeshit chickenshit dumbshit pigshit gobshite ' +
    'arse arses arsed asses ashole asshat asswipe arsewipe assface assmunch asslick dumbass jackass fatass smartass bastard basterd bollock bollocks bollox bellend bugger buggered ' +
    'cock cocks cockface cockhead cawk dick dicks dickface dickwad dickless dickish dikhead douche feck fecker fecking fugly gaylord hoebag jackoff jagoff jizz jizzed jizzing knobend lesbo minge ' +
    'mongoloid pedo pedos pissed pisser pissing prick pricks pussy pussies retard retards retarded skank skanky slag slut slutty turd turds twat twats twatty wank wanked wanking wigger ' +
    'tit tits titties titty boob boobs sonofabitch ballbag bumhole cocklicker cockless dafuq fking fked mfer mfers gaytard jigga jiggas nigguh nigah retardo libtard pissoff tard wnker dyke dykes tranny trannies shemale ladyboy blowjob handjob rimjob dildo butthole buttplug nutsack ballsack cameltoe schlong ' +
    'wop wops dago dagos paki pakis golliwog darky darkies sambo poontang analplug cumshot whoar biotch beeotch',
  low:
    'damn damned damnit hell crap crappy bloody fart farts booty badass sex sexual sexually sexuality negro negroes xx intercourse domination penis vagina pornography masturbation ' +
    'wtf chink hoe homo knob pecker queer spook crotch',
};

const phrases: Readonly<Partial<Record<Severity, string>>> = {
  high: 'mother fucker,sand nigger,porch monkey',
  medium:
    'son of a bitch,sons of bitches,kiss my ass,ass hole,piss off,bull shit,jerk off,jack off,suck my dick,full of shit',
};

/** Names, idioms and words that contain others. */
const harmless =
  'scunthorpe,shiitake,shitake,shittim,shittah,moby dick,dick cheney,dick tracy,dick van dyke,dick clark,dick whittington,philip k dick,spotted dick,' +
  'phuket,snigger,sniggered,sniggerer,sniggering,sniggeringly,niggard,niggardly,swanker,moong,woops,blackcock,tit for tat,blue tit,great tit,cum laude,pussy cat,pussy willow,pussy riot,van dyke,cock a doodle,skeet shooting';

const matcher = new WordMatcher<Severity | undefined>(listEntries());

/** The longest range that `findProfanity` finds, in UTF-16 units. */
export const profanityCharactersMax = matcher.charactersMax;

/** Swear words, slurs and obscene words, also if they are disguised. */
export function findProfanity(text: string, least: Severity = 'medium'): readonly Finding[] {
  const lowest = severities.indexOf(least);
  return matcher
    .find(text)
    .flatMap(({ start, end, value }) =>
      value === undefined || severities.indexOf(value) < lowest ? [] : [{ start, end, kind: 'PROFANITY' }],
    );
}

function* listEntries(): Generator<Entry<Severity | undefined>> {
  const strong = words(innerWords.high);
  for (const text of published)
    yield { text, value: strong.some((word) => text.includes(word)) ? 'high' : 'medium' };
  for (const value of severities) {
    for (const text of words(innerWords[value])) yield { text, value, isInner: true };
    for (const text of words(wholeWords[value])) yield { text, value };
    for (const text of (phrases[value] ?? '').split(',')) if (text !== '') yield { text, value };
  }
  for (const text of harmless.split(',')) yield { text, value: undefined };
}

function words(list = ''): readonly string[] {
  return list.split(' ').filter((word) => word !== '');
}
