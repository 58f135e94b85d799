import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProfanity, profanityCharactersMax, type Severity } from './find-profanity.ts';

function found(text: string, least?: Severity): readonly string[] {
  return findProfanity(text, least).map(({ start, end }) => text.slice(start, end));
}

test('swear words are found in whatever way they are written', () => {
  for (const written of [
    ...[
      'shit',
      'SHIT',
      'shits',
      'sh1t',
      '$h!t',
      'shiiiit',
      'shittt',
      's h i t',
      's.h.i.t',
      's-h-i-t',
      'sh*t',
    ],
    ...[
      'ｓｈｉｔ',
      'shіt',
      's\u200Bh\u200Bit',
      'shi\u0301t',
      '𝓼𝓱𝓲𝓽',
      'motherfucker',
      'mother-fucker',
      'assh0le',
    ],
  ])
    assert.deepEqual(found(`You ${written}, really`), [written], written);
});

test('harmless words that contain others are not found', () => {
  const harmless =
    'Scunthorpe assassin cockpit Dickens shiitake basement class Penistone Essex analysis cocktail Matsushita grape ' +
    'therapist document cucumber title peacock Arsenal pass the salt, push it, night-shift, saltwater, Uranus, 455, $149, x * y, ' +
    'summa cum laude, tit for tat, Moby Dick, rapping, rapeseed, a s a b c d, sniggering, Phuket, ' +
    String.raw`() => {\n\tit("works"), f(k), q8cUNTy7, lfvcKZ6`;
  assert.deepEqual(found(harmless), []);
});

test('words that are ordinary in many contexts are found if they are wanted', () => {
  const text = 'Damn, what is your sex?';
  assert.deepEqual(found(text), []);
  assert.deepEqual(found(text, 'low'), ['Damn', 'sex']);
  assert.deepEqual(found('a bastard, a motherfucker, a fuckwit', 'high'), ['motherfucker', 'fuckwit']);
});

test('a search takes linear time in hostile texts', () => {
  for (const part of ['a', 'f\u200B', 'f*', 'f u c ', '5h1', 'fu-']) {
    const text = part.repeat(100_000 / part.length);
    const before = process.cpuUsage();
    const found = findProfanity(text);
    assert.ok(
      found.every(({ start, end }) => end - start <= profanityCharactersMax),
      part,
    );
    assert.ok(process.cpuUsage(before).user < 2_000_000, part);
  }
});
