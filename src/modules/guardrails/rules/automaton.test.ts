import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { Automaton } from './automaton.ts';

/** Numbers below a bound, the same in every run. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

const atoms =
  String.raw`a b c ss [ab] [^a] . \d \w \s (?i:k) é 😀 [😀-😂] \n \b \B ^ $ (?m:^) (?m:$) \A \z`.split(' ');
const assertions = /^(?:\\[bBAz]|[\^$]|\(\?m)/;

function randomExpression(random: (below: number) => number, depth: number): string {
  const parts = Array.from({ length: 1 + random(3) }, () => {
    if (depth > 0 && random(3) === 0) return `(?:${randomExpression(random, depth - 1)})`;
    const atom = atoms[random(atoms.length)] ?? 'a';
    return assertions.test(atom) ? atom : atom + (['*', '+', '?', '{1,3}', '+?'][random(8)] ?? '');
  });
  const expression = parts.join('');
  return random(4) === 0 ? `${expression}|${randomExpression(random, 0)}` : expression;
}

function matchesOf(expression: RE2JS, text: string): readonly string[] {
  const matcher = expression.matcher(text);
  const found: string[] = [];
  while (matcher.find()) found.push(`${matcher.start()}-${matcher.end()}`);
  return found;
}

test('an automaton finds what re2js finds, in random texts', () => {
  const random = createRandom(7);
  const characters = [...'abckK\u212Aé😀😁 \n1_sz'];
  let compared = 0;
  for (let made = 0; made < 800; made++) {
    const source = randomExpression(random, 2);
    const expression = RE2JS.compile(source);
    const automaton = new Automaton(expression);
    if (automaton.matchesNothing) continue;
    for (let texts = 0; texts < 3; texts++) {
      const length = random(30);
      const text = Array.from({ length }, () => characters[random(characters.length)]).join('');
      const found = [...automaton.find(text)];
      assert.deepEqual(
        found.map(({ start, end }) => `${start}-${end}`),
        matchesOf(expression, text),
        JSON.stringify({ source, text }),
      );
      const { charactersMax = Number.POSITIVE_INFINITY } = automaton;
      assert.ok(
        found.every(({ start, end }) => end - start <= charactersMax),
        source,
      );
      compared++;
    }
  }
  assert.ok(compared > 1000, `${compared} texts`);
});

test('the longest match of an automaton is known, if there is one', () => {
  for (const [source, longest] of [
    ['ab?c{2,4}', 6],
    [String.raw`\b[A-Z]{2,5}-\d{3,6}\b`, 12],
    ['😀{1,3}', 6],
    ['a+', undefined],
    ['(?s)a.*?z', undefined],
  ] as const)
    assert.equal(new Automaton(RE2JS.compile(source)).charactersMax, longest, source);
});

test('a search over a text takes linear time, also for expressions that are quadratic elsewhere', () => {
  const cost = (source: string, characters: number) => {
    const automaton = new Automaton(RE2JS.compile(source));
    const text = 'a'.repeat(characters);
    for (const _ of automaton.find(text.slice(0, 2000)));
    const before = process.cpuUsage();
    for (const _ of automaton.find(text));
    return process.cpuUsage(before).user / 1000;
  };
  // Each takes four to forty seconds with re2js or RegExp.
  for (const source of ['a.*z|a', String.raw`\w+@`, '(?:a+a+)+b', '[a-c]{1,300}z'])
    assert.ok(cost(source, 100_000) < 1000, source);
});
