// How long semantic-cache holds up a process with its first call, by built files: the first argument is their folder.
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [folder = ''] = process.argv.slice(2);
const built = (file: string) => pathToFileURL(`${folder}/${file}`).href;

// What every gateway has loaded before its first call.
await import(built('module-api.js'));

const turns: number[] = [];
let isOver = false;
const watching = (async () => {
  for (let last = performance.now(); !isOver; ) {
    await setImmediate();
    const now = performance.now();
    turns.push(now - last);
    last = now;
  }
})();

const { loadInSlices }: typeof import('../../src/modules/semantic-cache/loading.ts') = await import(
  built('modules/semantic-cache/loading.js')
);
await loadInSlices();
const { findNearest, checkPrompt }: typeof import('../../src/modules/semantic-cache/candidate-selection.ts') =
  await import(built('modules/semantic-cache/candidate-selection.js'));
const { ParsedPromptCache }: typeof import('../../src/modules/semantic-cache/text/parsed-prompt-cache.ts') =
  await import(built('modules/semantic-cache/text/parsed-prompt-cache.js'));
const prompts = new ParsedPromptCache();
await setImmediate();
const loading = turns.splice(0);
const pairs = [
  ['How can I clean the pump in the old mill?', 'How do I clean the pump in the old mill?'],
  [
    'Could you explain to my colleague in the finance department how the quarterly summary for the northern region is computed if prices change in the middle of the month and some invoices were issued in francs but paid in euros?',
    'Please explain to my colleague in the finance department how the quarterly summary of the northern region is computed when prices change in the middle of the month and some of the invoices were issued in francs but paid in euros',
  ],
] as const;
for (const [text, before] of pairs) {
  const { prompt: parsedPrompt, bypass } = checkPrompt(text, { current: 'bypass' }, prompts);
  if (parsedPrompt === undefined) throw new Error(`it is not looked up: ${bypass}`);
  await setImmediate();
  findNearest(parsedPrompt, [{ text: before, cosine: 0.95 }], prompts);
  await setImmediate();
}
isOver = true;
await watching;
console.log(
  JSON.stringify({ loading: Math.max(...loading), first: Math.max(...turns), turns: loading.length }),
);
