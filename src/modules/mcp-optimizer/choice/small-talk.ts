/** Maximum words of greetings and thanks. */
const wordsMax = 12;

/** Whether a text is only a greeting, thanks or a polite question, which needs no tool and doesn't predict the next request. */
export function isSmallTalk(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}']+/gu) ?? [];
  if (words.length === 0 || words.length > wordsMax) return false;
  return smallTalkPattern.test(words.join(' '));
}

const greeting =
  '(?:hi|hello|hey|hiya|howdy|greetings|welcome|good (?:morning|afternoon|evening|night|day)|goodbye|bye|see you(?: later| soon)?)';
const thanks = '(?:(?:ok |okay )?(?:many thanks|thanks|thank you|thx|cheers)(?: (?:so|very) much| a lot)?)';
const pleasantry =
  "(?:how are (?:you|things)(?: doing| feeling)?|how(?:'s| is) (?:it going|life)|how do you do|how(?:'s| is| was) your (?:day|week|weekend)|what(?:'s| is) up|(?:who|what) are you|what(?:'s| is) your name|are you (?:there|okay|ok|a bot|an ai|human|real)|nice to meet you)";
const filler = '(?:there|again|everyone|everybody|all|team|friend|assistant|bot|today|and|now)';

const part = `(?:${greeting}|${thanks}|${pleasantry})`;
const smallTalkPattern = new RegExp(`^${part}(?: (?:${part}|${filler}))*$`);
